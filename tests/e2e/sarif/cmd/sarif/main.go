// SPDX-License-Identifier: Apache-2.0
// Validates SARIF by the schema of its standard, which a public module carries.
//
//	sarif extract FOLDER         prints the schema out of github.com/owenrumney/go-sarif/v3, checked out in FOLDER
//	sarif check SCHEMA FILE...   exits with 1 unless each FILE is valid
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// text is the value of a constant expression of string literals.
func text(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(e.Value)
	case *ast.BinaryExpr:
		x, err := text(e.X)
		if err != nil {
			return "", err
		}
		y, err := text(e.Y)
		return x + y, err
	}
	return "", fmt.Errorf("the schema is no constant of string literals")
}

func extract(folder string) error {
	file := filepath.Join(folder, "pkg", "report", "v210", "sarif", "schema.go")
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return err
	}
	object := tree.Scope.Lookup("schema")
	if object == nil {
		return fmt.Errorf("%s has no constant schema", file)
	}
	schema, err := text(object.Decl.(*ast.ValueSpec).Values[0])
	if err == nil {
		_, err = fmt.Println(schema)
	}
	return err
}

func check(schemaFile string, files []string) error {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		document, err := jsonschema.UnmarshalJSON(f)
		f.Close()
		if err == nil {
			err = schema.Validate(document)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func main() {
	err := fmt.Errorf("usage: sarif extract FOLDER | sarif check SCHEMA FILE...")
	switch {
	case len(os.Args) == 3 && os.Args[1] == "extract":
		err = extract(os.Args[2])
	case len(os.Args) > 3 && os.Args[1] == "check":
		err = check(os.Args[2], os.Args[3:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
