#!/bin/sh
# Entry point of the images, under the name and with the arguments that Flink's Kubernetes integration expects:
#   standalone-job ...   job manager with the job in usrlib/
#   taskmanager ...      task manager
#   COMMAND ...          any other command, such as that of a container that Flink itself starts
set -eu
case ${1:-} in
  standalone-job | taskmanager) exec "${FLINK_HOME:-/opt/flink}/bin/flink-process" "$@" ;;
  '') echo "Missing command: standalone-job, taskmanager, or a program with its arguments." >&2; exit 64 ;;
  *) exec "$@" ;;
esac
