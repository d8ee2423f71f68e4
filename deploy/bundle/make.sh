#!/bin/sh
# Called by Maven (-Pbundle package): builds the archives for a GPU host.
# usage: make.sh JAVA_HOME VERSION
set -eu
cd "$(dirname "$0")"
java_home=$1
version=$2
root=$(CDPATH='' cd ../.. && pwd -P)
target=$root/deploy/bundle/target
name=latimer-gpu-$version
out=$target/$name
native=$root/kernels/target/native

[ -f "$native/liblatimer_kernels.so" ] || {
  echo "bundle: no kernel library in $native: building a bundle needs CUDA's nvcc" >&2
  exit 1
}
[ -x "$java_home/bin/jlink" ] || {
  echo "bundle: no jlink in $java_home: use a JDK with its jmods" >&2
  exit 1
}

rm -rf "$out" "$target/$name-flink"
mkdir -p "$out/lib" "$out/kernels"
runtime() {
  "$java_home/bin/jlink" --output "$1" --compress=0 --strip-debug --no-header-files --no-man-pages --add-modules "$2"
  strip --strip-unneeded "$1/lib/server/libjvm.so" 2>/dev/null || true
}
# java.desktop provides java.beans, which log4j needs.
core_modules=java.base,java.desktop,java.logging,java.management,java.naming,java.scripting,java.xml,jdk.unsupported,jdk.zipfs
runtime "$out/jre" "$core_modules"

cp "$target"/core/*.jar "$out/lib/"
# Keeps only the natives in use: JCuda's driver API, OpenBLAS without LAPACK. The kernel library is outside the jars,
# shared by the C++ tests and Java.
slim() {
  jar=$(ls "$out"/lib/$1)
  shift
  rm -rf "$target/slim" && mkdir "$target/slim"
  # classes for a newer Java than the runtime's go: this Java's jar cannot read their module descriptors
  (cd "$target/slim" && "$java_home/bin/jar" xf "$jar" && rm -rf META-INF/versions/1[89] META-INF/versions/[2-9][0-9] "$@" &&
    "$java_home/bin/jar" cf0M "$jar" .)
  rm -rf "$target/slim"
}
slim 'jcuda-natives-*.jar' lib/libJNvPTXCompiler-12.6.0-linux-x86_64.so lib/libJNvrtc-12.6.0-linux-x86_64.so \
  lib/libJCudaRuntime-12.6.0-linux-x86_64.so
openblas=org/bytedeco/openblas/linux-x86_64
slim 'openblas-*-linux-x86_64.jar' $openblas/libjniopenblas_full.so $openblas/libjniopenblas.so $openblas/include
rm -f "$out"/lib/latimer-kernels-*.jar "$out"/lib/byte-buddy-*.jar
mkdir -p "$out/io/latimer/kernels/linux-x86_64"
cp "$native/liblatimer_kernels.so" "$out/io/latimer/kernels/linux-x86_64/"
strip --strip-unneeded "$out/io/latimer/kernels/linux-x86_64/liblatimer_kernels.so"
cp "$root/kernels/target/classes/io/latimer/kernels/kernels.properties" "$out/io/latimer/kernels/"
ln -s io/latimer/kernels/linux-x86_64/liblatimer_kernels.so "$out/liblatimer_kernels.so"
for program in "$native"/bin/*; do
  cp "$program" "$out/kernels/"
  strip "$out/kernels/$(basename "$program")" 2>/dev/null || true
done
cp -R gpu-test gpu-bench bench "$out/"
mkdir "$out/peers"
cp "$root"/benchmarks/peers/*.py "$root"/benchmarks/peers/*.cc "$out/peers/"
cp "$root/LICENSE" README.md "$out/"
printf '%s\n' "$version" >"$out/VERSION"

# The Flink layer: everything the command line needs beyond the core, in the same tree.
mkdir -p "$target/$name-flink/$name/flink" "$target/$name-flink/$name/examples"
for jar in "$root"/pipelines/cli/target/lib/*.jar "$root"/pipelines/cli/target/latimer-cli*.jar; do
  [ -e "$out/lib/$(basename "$jar")" ] || cp "$jar" "$target/$name-flink/$name/flink/"
done
runtime "$target/$name-flink/$name/jre-flink" \
  "$core_modules,java.compiler,java.management.rmi,java.net.http,java.rmi,java.security.jgss,java.security.sasl,java.sql,jdk.crypto.ec,jdk.jfr,jdk.management,jdk.localedata"
cp latimer "$target/$name-flink/$name/"
cp -R "$root"/examples/. "$target/$name-flink/$name/examples/"

# xz compresses uncompressed data better, so the entries of jars and the runtime's modules are only stored.
for jar in "$out"/lib/*.jar; do
  slim "$(basename "$jar")"
done
pack() {
  tar -C "$1" -cf - "$name" | xz "$3" -T0 >"$2.new"
  mv "$2.new" "$2"
}
pack "$target" "$target/$name.tar.xz" -6
pack "$target/$name-flink" "$target/$name-flink.tar.xz" -1
rm -rf "$target/$name-flink"
core=$(wc -c <"$target/$name.tar.xz")
echo "bundle: $name.tar.xz, $((core / 1000000)) MB; $name-flink.tar.xz, $(($(wc -c <"$target/$name-flink.tar.xz") / 1000000)) MB"
[ "$core" -lt 60000000 ] || {
  echo "bundle: the core has $core bytes, more than the limit of 60 MB" >&2
  exit 1
}
