#!/bin/sh
# What Flink's Kubernetes integration starts in the pod of a task manager, with its memory as arguments.
exec "${FLINK_HOME:-/opt/flink}/bin/flink-process" kubernetes-taskmanager "$@"
