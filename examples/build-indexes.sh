#!/bin/sh
# Builds the indexes of examples/jobs/everything.yaml, phrase-translation.yaml, learning-phrases.yaml and
# rolling-model.yaml from the files in this folder, into examples/indexes: a language model, a phrase index and a grammar.
# Takes some seconds; run it again whenever you like. An index is replaced only after all of them were built.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
latimer=$here/../latimer # of a checkout
[ -x "$latimer" ] || latimer=$here/../bin/latimer # of a release
out=$here/indexes
text=$here/corpora/front-desk

mkdir -p "$out"
build=$(mktemp -d "$out/.build.XXXXXX") # in the same folder, so that a file is moved in one step
trap 'rm -rf "$build"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$latimer" lm estimate --order 3 --out "$build/front-desk.arpa" <"$text.de"
"$latimer" lm import --arpa "$build/front-desk.arpa" --model-version front-desk --out "$build/front-desk.llm"
"$latimer" phrases index --source "$text.en" --target "$text.de" --alignment "$text.en-de.align" \
  --index-version front-desk --out "$build/front-desk.lpx"
"$latimer" grammar compile "$here/grammars/front-desk.lark" --index-version front-desk --out "$build/front-desk.lgx"

for index in front-desk.llm front-desk.lpx front-desk.lgx; do
  mv -f "$build/$index" "$out/$index"
done
echo "Built the language model, the phrase index and the grammar in $out."
