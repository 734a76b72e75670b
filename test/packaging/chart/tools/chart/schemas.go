package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// schemaPaths says where the schemas come from.
type schemaPaths struct {
	// OpenAPI v3 documents of Kubernetes, one for each group and version.
	OpenAPI []string `json:"openApi"`
	// Manifests of CustomResourceDefinitions.
	Resources []string `json:"resources"`
}

const componentPrefix = "#/components/schemas/"

type components struct {
	Components struct {
		Schemas map[string]map[string]any `json:"schemas"`
	} `json:"components"`
}

type customResource struct {
	Spec struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Schema struct {
				OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// writeSchemas writes a strict JSON schema for every kind into a directory: `<group>-<version>-<kind>.json`, the group
// of the core being its version, as kubeconform has it.
func writeSchemas(paths schemaPaths, directory string) error {
	for _, path := range paths.OpenAPI {
		if err := writeBuiltIn(path, directory); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, path := range paths.Resources {
		if err := writeCustom(path, directory); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func writeBuiltIn(path, directory string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var document components
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	all := document.Components.Schemas
	for _, schema := range all {
		refuseUnknown(schema)
	}
	for name, schema := range all {
		kinds, _ := schema["x-kubernetes-group-version-kind"].([]any)
		// What belongs to many kinds is no object of its own.
		if len(kinds) != 1 {
			continue
		}
		kind, _ := kinds[0].(map[string]any)
		group, version := fmt.Sprint(kind["group"]), fmt.Sprint(kind["version"])
		if group == "" {
			group = version
		}
		needed := components{}
		needed.Components.Schemas = map[string]map[string]any{}
		collect(name, all, needed.Components.Schemas)
		whole := map[string]any{"$ref": componentPrefix + name, "components": needed.Components}
		if err := write(directory, group, version, fmt.Sprint(kind["kind"]), whole); err != nil {
			return err
		}
	}
	return nil
}

// collect copies a schema, and all that it refers to.
func collect(name string, all, into map[string]map[string]any) {
	if _, known := into[name]; known {
		return
	}
	into[name] = all[name]
	var follow func(any)
	follow = func(part any) {
		switch one := part.(type) {
		case map[string]any:
			if reference, isText := one["$ref"].(string); isText {
				collect(strings.TrimPrefix(reference, componentPrefix), all, into)
			}
			for _, value := range one {
				follow(value)
			}
		case []any:
			for _, value := range one {
				follow(value)
			}
		}
	}
	follow(map[string]any(all[name]))
}

func writeCustom(path, directory string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var resource customResource
	if err := yaml.Unmarshal(text, &resource); err != nil {
		return err
	}
	for _, version := range resource.Spec.Versions {
		schema := version.Schema.OpenAPIV3Schema
		refuseUnknown(schema)
		if err := write(directory, resource.Spec.Group, version.Name, resource.Spec.Names.Kind, schema); err != nil {
			return err
		}
	}
	return nil
}

// refuseUnknown lets objects have no other fields than those that are known, as `kubectl --validate=strict` does.
func refuseUnknown(part any) {
	switch one := part.(type) {
	case map[string]any:
		for _, value := range one {
			refuseUnknown(value)
		}
		_, isObject := one["properties"].(map[string]any)
		if isObject && one["additionalProperties"] == nil && one["x-kubernetes-preserve-unknown-fields"] != true {
			one["additionalProperties"] = false
		}
	case []any:
		for _, value := range one {
			refuseUnknown(value)
		}
	}
}

func write(directory, group, version, kind string, schema any) error {
	text, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s-%s.json", group, version, strings.ToLower(kind))
	return os.WriteFile(filepath.Join(directory, name), text, 0o600)
}
