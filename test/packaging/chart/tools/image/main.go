// What an image build would see, as JSON: the Dockerfile as BuildKit reads it, what BuildKit's own linter says of it,
// the files that the build context leaves, and the Compose file once it meets the Compose specification.
//
//	image <context> <Dockerfile> <compose file>
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/compose-spec/compose-go/v2/schema"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/opencontainers/go-digest"
	"sigs.k8s.io/yaml"
)

type report struct {
	Arguments map[string]string `json:"arguments"` // before the first stage
	Stages    []stage           `json:"stages"`
	Warnings  []string          `json:"warnings"`
	Context   []string          `json:"context"`
	Compose   map[string]any    `json:"compose"`
}

type stage struct {
	Name         string        `json:"name"`
	Base         string        `json:"base"`
	Instructions []instruction `json:"instructions"`
}

type instruction struct {
	Name        string            `json:"name"`
	Line        string            `json:"line"` // as it is written
	Arguments   []string          `json:"arguments,omitempty"`
	IsShell     bool              `json:"isShell,omitempty"`
	Values      map[string]string `json:"values,omitempty"`
	From        string            `json:"from,omitempty"`
	Sources     []string          `json:"sources,omitempty"`
	Destination string            `json:"destination,omitempty"`
}

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(directory, dockerfile, compose string) error {
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		return err
	}
	result := report{Arguments: map[string]string{}}
	if err := result.readDockerfile(text); err != nil {
		return err
	}
	if err := result.lint(dockerfile, text); err != nil {
		return err
	}
	if result.Context, err = buildContext(directory); err != nil {
		return err
	}
	if err := result.readCompose(compose); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func (r *report) readDockerfile(text []byte) error {
	parsed, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return err
	}
	stages, global, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		return err
	}
	for _, command := range global {
		for _, argument := range command.Args {
			r.Arguments[argument.Key] = argument.ValueString()
		}
	}
	for _, found := range stages {
		one := stage{Name: found.Name, Base: found.BaseName}
		for _, command := range found.Commands {
			one.Instructions = append(one.Instructions, describe(command))
		}
		r.Stages = append(r.Stages, one)
	}
	return nil
}

func describe(command instructions.Command) instruction {
	result := instruction{Name: command.Name(), Line: fmt.Sprint(command), Values: map[string]string{}}
	pairs := func(found instructions.KeyValuePairs) {
		for _, pair := range found {
			result.Values[pair.Key] = strings.Trim(pair.Value, `"`)
		}
	}
	switch one := command.(type) {
	case *instructions.RunCommand:
		result.Arguments, result.IsShell = one.CmdLine, one.PrependShell
	case *instructions.CmdCommand:
		result.Arguments, result.IsShell = one.CmdLine, one.PrependShell
	case *instructions.EntrypointCommand:
		result.Arguments, result.IsShell = one.CmdLine, one.PrependShell
	case *instructions.CopyCommand:
		result.From, result.Sources, result.Destination = one.From, one.SourcePaths, one.DestPath
	case *instructions.WorkdirCommand:
		result.Arguments = []string{one.Path}
	case *instructions.UserCommand:
		result.Arguments = []string{one.User}
	case *instructions.ExposeCommand:
		result.Arguments = one.Ports
	case *instructions.EnvCommand:
		pairs(one.Env)
	case *instructions.LabelCommand:
		pairs(one.Labels)
	case *instructions.ArgCommand:
		for _, argument := range one.Args {
			result.Values[argument.Key] = argument.ValueString()
		}
	}
	return result
}

// anyImage stands for every base image: the linter asks what it holds, and nothing of it is needed.
type anyImage struct{}

func (anyImage) ResolveImageConfig(_ context.Context, reference string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	return reference, "", []byte(`{"architecture":"amd64","os":"linux","config":{"Env":["PATH=/usr/local/bin:/usr/bin:/bin"]}}`), nil
}

func (r *report) lint(name string, text []byte) error {
	source := llb.NewSourceMap(nil, name, "Dockerfile", text)
	source.Definition = &llb.Definition{}
	results, err := dockerfile2llb.DockerfileLint(context.Background(), text, dockerfile2llb.ConvertOpt{
		SourceMap:    source,
		MetaResolver: anyImage{},
	})
	if err != nil {
		return err
	}
	if results.Error != nil {
		return fmt.Errorf("%s: %s", name, results.Error.Message)
	}
	r.Warnings = []string{}
	for _, warning := range results.Warnings {
		r.Warnings = append(r.Warnings, warning.RuleName+": "+warning.Detail)
	}
	return nil
}

func (r *report) readCompose(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, &r.Compose); err != nil {
		return err
	}
	// Extensions are what the specification lets everybody add, and anchors have been resolved.
	return schema.Validate(r.Compose)
}
