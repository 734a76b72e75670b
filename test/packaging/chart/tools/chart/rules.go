package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/yannh/kubeconform/pkg/resource"
	"github.com/yannh/kubeconform/pkg/validator"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

type rules struct {
	schemas  validator.Validator
	security policy.Evaluator
	made     string
}

// newRules makes the schemas of a cluster, in a directory of their own.
func newRules(paths schemaPaths) (*rules, error) {
	directory, err := os.MkdirTemp("", "unified-calendar-schemas-")
	if err != nil {
		return nil, err
	}
	if err := writeSchemas(paths, directory); err != nil {
		return nil, err
	}
	location := filepath.Join(directory, "{{ .Group }}-{{ .ResourceAPIVersion }}-{{ .ResourceKind }}.json")
	schemas, err := validator.New([]string{location}, validator.Opts{Strict: true})
	if err != nil {
		return nil, err
	}
	security, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	return &rules{schemas, security, directory}, err
}

func (r *rules) close() { _ = os.RemoveAll(r.made) }

// problems says what Kubernetes would refuse of an object.
func (r *rules) problems(text []byte, object map[string]any) []string {
	found := []string{}
	result := r.schemas.ValidateResource(resource.Resource{Bytes: text})
	if result.Status != validator.Valid {
		found = append(found, fmt.Sprint(result.Err))
	}
	template, err := podTemplate(object)
	if err != nil {
		return append(found, err.Error())
	}
	if template == nil {
		return found
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, check := range r.security.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec) {
		if !check.Allowed {
			found = append(found, fmt.Sprintf("Pod Security: %s: %s", check.ForbiddenReason, check.ForbiddenDetail))
		}
	}
	return found
}

// podTemplate returns the pod that an object is or makes, or nil.
func podTemplate(object map[string]any) (*corev1.PodTemplateSpec, error) {
	var made any
	switch object["kind"] {
	case "Pod":
		made = object
	case "Deployment", "Job":
		spec, _ := object["spec"].(map[string]any)
		made = spec["template"]
	default:
		return nil, nil
	}
	text, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	var template struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     corev1.PodSpec    `json:"spec"`
	}
	if err := json.Unmarshal(text, &template); err != nil {
		return nil, err
	}
	return &corev1.PodTemplateSpec{ObjectMeta: template.Metadata, Spec: template.Spec}, nil
}
