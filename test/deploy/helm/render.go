// Renders a chart as `helm template` does, with the two libraries that Helm uses: text/template and sprig. It does not
// check values.schema.json and has no `lookup`, subcharts or .Files.
//
//	render CHART RELEASE < values.json > manifests.json
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	chart, release := os.Args[1], os.Args[2]
	var values, about map[string]interface{}
	must(json.NewDecoder(os.Stdin).Decode(&values))
	text, err := os.ReadFile(filepath.Join(chart, "Chart.yaml"))
	must(err)
	must(yaml.Unmarshal(text, &about))
	named := map[string]interface{}{}
	for key, value := range about {
		named[strings.ToUpper(key[:1])+key[1:]] = value
	}

	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if text, ok := value.(string); value == nil || ok && text == "" {
			return value, errors.New(message)
		}
		return value, nil
	}
	functions["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		must(err)
		return strings.TrimSuffix(string(text), "\n")
	}
	functions["fromJsonArray"] = func(text string) (list []interface{}) {
		must(json.Unmarshal([]byte(text), &list))
		return list
	}
	all.Funcs(functions)

	var names []string
	must(filepath.Walk(filepath.Join(chart, "templates"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		names = append(names, path)
		_, err = all.New(path).Parse(string(text))
		return err
	}))
	rendered := map[string]string{}
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), "_") {
			continue
		}
		var out bytes.Buffer
		must(all.ExecuteTemplate(&out, name, map[string]interface{}{
			"Values":  values,
			"Chart":   named,
			"Release": map[string]interface{}{"Name": release, "Namespace": "default", "Service": "Helm"},
		}))
		rendered[filepath.Base(name)] = strings.ReplaceAll(out.String(), "<no value>", "")
	}
	must(json.NewEncoder(os.Stdout).Encode(rendered))
}
