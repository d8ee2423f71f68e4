#!/bin/sh
# Writes what must be the same in two places: the PrometheusRule, and the files of the Helm chart, which cannot read
# outside of its folder. A test fails where they differ.
set -eu
cd "$(dirname "$0")"
{
  printf '%s\n' '# Made by sync.sh from alerts.yaml.' 'apiVersion: monitoring.coreos.com/v1' 'kind: PrometheusRule' \
    'metadata:' '  name: latimer' 'spec:'
  sed -e '/^#/d' -e 's/^./  &/' prometheus/alerts.yaml
} >prometheus/prometheusrule.yaml
mkdir -p helm/latimer/files
cp prometheus/alerts.yaml grafana/latimer.json helm/latimer/files/
cp docker/flink/conf/log4j-console.properties helm/latimer/files/
cp kubernetes/base/job.yaml helm/latimer/files/job-cpu.yaml
cp kubernetes/overlays/gpu/job.yaml helm/latimer/files/job-gpu.yaml
