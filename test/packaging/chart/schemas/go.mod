// Where the schemas come from that the chart's objects are held to: files of these modules, no code. Their checksums
// are in go.sum.
module unified-calendar/test/packaging/chart/schemas

go 1.26

require (
	github.com/kedacore/keda/v2 v2.21.0
	github.com/prometheus-operator/prometheus-operator v0.85.0
	k8s.io/kubernetes v1.36.3
	sigs.k8s.io/gateway-api v1.6.0
)
