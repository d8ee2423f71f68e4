package io.latimer.operators.phrases.index;

import java.nio.file.Path;

/**
 * The files of a parallel text, plain or gzip, with one line per sentence pair.
 *
 * @param source tokenized source sentences
 * @param target their tokenized translations
 * @param alignment word alignments in Pharaoh's format: {@code 0-0 1-2}
 */
public record PhraseTextFiles(Path source, Path target, Path alignment) {}
