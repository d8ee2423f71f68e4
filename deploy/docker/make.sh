#!/bin/sh
# Called by Maven (-Pimages package): puts target/context together, the build context of the Dockerfile.
# usage: make.sh JAVA_HOME VERSION
set -eu
cd "$(dirname "$0")"
java_home=$1
version=$2
job=../../pipelines/flink/target/latimer-flink-$version-job.jar
context=target/context
[ -f "$job" ] || {
  echo "image: no job jar $job; build it first: mvn -Pimages package" >&2
  exit 1
}

rm -rf "$context" target/job
mkdir -p "$context/flink/lib" "$context/flink/usrlib" "$context/flink/plugins" target/job
cp target/lib/*.jar "$context/flink/lib/"
# Flink loads each plugin from a folder of its own.
for jar in target/plugins/*.jar; do
  name=$(basename "$jar" .jar)
  mkdir "$context/flink/plugins/${name#flink-}"
  cp "$jar" "$context/flink/plugins/${name#flink-}/"
done
(cd target/job && "$java_home/bin/jar" xf "../../$job")
# JCuda, JNA and the kernels are in lib/, where all jobs of a process find them.
rm -rf target/job/jcuda target/job/com/sun/jna target/job/io/latimer/kernels target/job/lib/libJ*.so
# The guard of Flink's REST interface is in lib/, where a job manager looks for it.
guard=io/latimer/pipelines/flink/rest
service=META-INF/services/org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory
"$java_home/bin/jar" --create --file "$context/flink/lib/latimer-rest-guard.jar" --date=1980-01-01T00:00:02Z \
  --no-manifest -C target/job "$guard" -C target/job "$service"
rm -rf "target/job/$guard" "target/job/$service"
"$java_home/bin/jar" --create --file "$context/flink/usrlib/latimer.jar" --date=1980-01-01T00:00:02Z \
  --manifest target/job/META-INF/MANIFEST.MF -C target/job .
rm -rf target/job
cp -R flink/bin flink/conf "$context/flink/"
chmod 755 "$context"/flink/bin/*
cp docker-entrypoint.sh fetch-models Dockerfile ../../LICENSE "$context/"
chmod 755 "$context/docker-entrypoint.sh" "$context/fetch-models"
# Root owns these files in the image, and another user reads them, whatever umask they were made with.
chmod -R a+rX "$context"
