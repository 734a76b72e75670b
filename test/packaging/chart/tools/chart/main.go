// Renders a chart with many values and judges what comes out: Helm's own engine and linter, kubeconform against the
// schemas of Kubernetes and of the operators, and the Pod Security admission plugin at level "restricted".
//
// Reads a request from stdin, writes a report to stdout, both JSON.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	"helm.sh/helm/v4/pkg/chart"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"
)

type request struct {
	Chart   string      `json:"chart"`
	Schemas schemaPaths `json:"schemas"`
	Cases   []testCase  `json:"cases"`
}

type testCase struct {
	Name      string         `json:"name"`
	Values    map[string]any `json:"values"`
	File      string         `json:"file"` // of values, instead of them
	IsUpgrade bool           `json:"isUpgrade"`
	Release   string         `json:"release"`
}

type report struct {
	Lint  []string     `json:"lint"`
	Cases []caseReport `json:"cases"`
}

type caseReport struct {
	Name     string           `json:"name"`
	Error    string           `json:"error,omitempty"` // the values are refused, or cannot be rendered
	Notes    string           `json:"notes"`
	Objects  []map[string]any `json:"objects"`
	Problems []string         `json:"problems"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return err
	}
	loaded, err := loader.Load(asked.Chart)
	if err != nil {
		return err
	}
	rules, err := newRules(asked.Schemas)
	if err != nil {
		return err
	}
	defer rules.close()
	answer := report{Lint: []string{}}
	for _, one := range asked.Cases {
		if one.File != "" {
			text, err := os.ReadFile(one.File)
			if err != nil {
				return err
			}
			if err := yaml.UnmarshalStrict(text, &one.Values); err != nil {
				return fmt.Errorf("%s: %w", one.File, err)
			}
			answer.Lint = append(answer.Lint, lintChart(asked.Chart, one)...)
		}
		answer.Cases = append(answer.Cases, judge(loaded, rules, one))
	}
	return json.NewEncoder(os.Stdout).Encode(answer)
}

// lintChart is `helm lint --strict`.
func lintChart(path string, one testCase) []string {
	found := []string{}
	for _, message := range lint.RunAll(path, one.Values, "calendar").Messages {
		if message.Severity >= support.WarningSev {
			found = append(found, one.Name+": "+message.Error())
		}
	}
	return found
}

func judge(loaded chart.Charter, rules *rules, one testCase) caseReport {
	result := caseReport{Name: one.Name, Objects: []map[string]any{}, Problems: []string{}}
	release := common.ReleaseOptions{
		Name: cmp.Or(one.Release, "calendar"), Namespace: "calendar", Revision: 1, IsInstall: !one.IsUpgrade, IsUpgrade: one.IsUpgrade,
	}
	values, err := util.ToRenderValues(loaded, one.Values, release, nil)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	files, err := engine.Engine{Strict: true}.Render(loaded, values)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if strings.HasSuffix(name, "NOTES.txt") {
			result.Notes = files[name]
			continue
		}
		for _, document := range strings.Split("\n"+files[name], "\n---") {
			var object map[string]any
			if err := yaml.UnmarshalStrict([]byte(document), &object); err != nil {
				result.Problems = append(result.Problems, name+": "+err.Error())
				continue
			}
			if len(object) == 0 {
				continue
			}
			result.Objects = append(result.Objects, object)
			for _, problem := range rules.problems([]byte(document), object) {
				result.Problems = append(result.Problems, name+": "+problem)
			}
		}
	}
	return result
}
