package io.latimer.operators.nmt.convert.ctranslate2;

import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Folders of CTranslate2's models. */
public final class Ctranslate2Folders {
  /** A word of the Arabic model, its letters apart, and what it becomes. */
  public static final String ARABIC = "\u0622 \u062a \u0632 \u0645 \u0648 \u0646";

  public static final String LATIN = "a t z m o n";

  private Ctranslate2Folders() {}

  /** A copy of the trained model of Arabic letters. */
  public static Path arabic(Path folder) throws IOException {
    Path from = SharedData.require("models/published/ct2-aren-transliteration");
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.write(folder.resolve(file.getFileName()), Files.readAllBytes(file));
      }
    }
    return folder;
  }

  /**
   * The pieces of {@link #ARABIC} as one word. The first letter becomes that of a word's start in
   * the folder's vocabulary: SentencePiece marks it.
   */
  public static List<String> arabicPieces(Path folder) throws IOException {
    List<String> pieces = new ArrayList<>(List.of(ARABIC.split(" ", -1)));
    String first = pieces.get(0);
    pieces.set(0, "\u2581" + first);
    Path vocabulary = folder.resolve("source_vocabulary.txt");
    List<String> lines = Files.readAllLines(vocabulary);
    lines.replaceAll(line -> line.equals(first) ? pieces.get(0) : line);
    lines(vocabulary, lines);
    return pieces;
  }

  /**
   * Makes the folder's letters pieces of BPE: the last of {@link #ARABIC} and of {@link #LATIN} end
   * a word, all others do not. One unused letter becomes the piece {@code qq@@}.
   */
  public static void bpePieces(Path folder) throws IOException {
    for (String side : List.of("source", "target")) {
      String word = side.equals("source") ? ARABIC : LATIN;
      String last = word.substring(word.length() - 1);
      Path vocabulary = folder.resolve(side + "_vocabulary.txt");
      List<String> lines = Files.readAllLines(vocabulary);
      lines.replaceAll(line -> line.startsWith("<") || line.equals(last) ? line : line + "@@");
      if (side.equals("source")) {
        int unused = lines.size() - 1;
        while (word.contains(lines.get(unused).replace("@@", ""))) {
          unused--;
        }
        lines.set(unused, "qq@@");
      }
      lines(vocabulary, lines);
    }
  }

  /** A random model of a few words. */
  public static Path random(Path folder, Random random, int version) throws IOException {
    Network network = Ctranslate2Model.network(random);
    Files.write(folder.resolve("model.bin"), Ctranslate2Model.of(network, version, true).bytes());
    TransformerSettings s = network.settings(TransformerSettings.class);
    lines(folder.resolve("source_vocabulary.txt"), Ctranslate2Model.words(s.sourceVocabulary()));
    lines(folder.resolve("target_vocabulary.txt"), Ctranslate2Model.words(s.targetVocabulary()));
    return folder;
  }

  /** Writes a vocabulary of one token a line. */
  static void lines(Path file, List<String> tokens) throws IOException {
    Files.writeString(file, String.join("\n", tokens) + "\n");
  }
}
