#!/bin/sh
# What Flink's Kubernetes integration starts in the pod of a job manager: kubernetes-jobmanager.sh kubernetes-application
exec "${FLINK_HOME:-/opt/flink}/bin/flink-process" "$@"
