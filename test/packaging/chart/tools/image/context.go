package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// buildContext returns the paths of the files that .dockerignore leaves of a directory.
func buildContext(directory string) ([]string, error) {
	file, err := os.Open(filepath.Join(directory, ".dockerignore"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	patterns, err := ignorefile.ReadAll(file)
	if err != nil {
		return nil, err
	}
	matcher, err := patternmatcher.New(patterns)
	if err != nil {
		return nil, err
	}
	left := []string{}
	err = filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == directory {
			return err
		}
		name, err := filepath.Rel(directory, path)
		if err != nil {
			return err
		}
		ignored, err := matcher.MatchesOrParentMatches(name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if ignored && !isWantedBelow(name, patterns) {
				return fs.SkipDir
			}
			return nil
		}
		if !ignored {
			left = append(left, name)
		}
		return nil
	})
	return left, err
}

// isWantedBelow says whether an exception names something below a directory that is ignored itself.
func isWantedBelow(directory string, patterns []string) bool {
	for _, pattern := range patterns {
		if strings.HasPrefix(pattern, "!"+directory+"/") {
			return true
		}
	}
	return false
}
