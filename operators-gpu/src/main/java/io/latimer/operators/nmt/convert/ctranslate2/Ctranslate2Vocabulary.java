package io.latimer.operators.nmt.convert.ctranslate2;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.text.Vocabulary;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.Utf8;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The vocabularies beside a {@code model.bin}: a JSON list of tokens, or a text of one token a
 * line, in which tokens may have spaces. Those of source and target may be one.
 *
 * <p>Source: OpenNMT/CTranslate2, src/vocabulary.cc and src/models/sequence_to_sequence.cc.
 *
 * @param source tokens by id
 * @param target the same list if both are one
 */
record Ctranslate2Vocabulary(List<String> source, List<String> target) {
  private static final List<String> SHARED = List.of("shared_vocabulary", "vocabulary");
  private static final List<String> ENDS = List.of(".json", ".txt");
  private static final long MAX_BYTES = 64 << 20;

  /** Whether a file could be one, by its name. */
  static boolean isRead(Path file) {
    String name = String.valueOf(file.getFileName());
    return ENDS.stream().anyMatch(end -> name.endsWith("vocabulary" + end));
  }

  /**
   * Reads the vocabularies of a folder.
   *
   * @throws ModelFormatException if they are missing or damaged; the message names the file and the
   *     line
   */
  static Ctranslate2Vocabulary in(Path folder) {
    Optional<Path> shared =
        SHARED.stream().flatMap(name -> find(folder, name).stream()).findFirst();
    if (shared.isPresent()) {
      List<String> tokens = read(shared.get());
      return new Ctranslate2Vocabulary(tokens, tokens);
    }
    Optional<Path> source = find(folder, "source_vocabulary");
    Optional<Path> target = find(folder, "target_vocabulary");
    if (source.isEmpty() || target.isEmpty()) {
      throw new ModelFormatException(
          folder
              + ": expected shared_vocabulary.json, or source_vocabulary.json and"
              + " target_vocabulary.json, or the same in .txt, found "
              + source.or(() -> target).map(file -> "only " + file.getFileName()).orElse("none"));
    }
    return new Ctranslate2Vocabulary(read(source.get()), read(target.get()));
  }

  boolean isShared() {
    return source == target;
  }

  private static Optional<Path> find(Path folder, String name) {
    return ENDS.stream()
        .map(end -> folder.resolve(name + end))
        .filter(Files::isRegularFile)
        .findFirst();
  }

  private static List<String> read(Path file) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new ModelFormatException(
            file + ": expected at most " + MAX_BYTES + " bytes, found " + Files.size(file));
      }
      byte[] bytes = Files.readAllBytes(file);
      int error = Utf8.firstError(bytes);
      if (error >= 0) {
        throw new ModelFormatException(file + ": byte " + error + " is not UTF-8");
      }
      String text = new String(bytes, StandardCharsets.UTF_8);
      return file.toString().endsWith(".json") ? json(file, text) : lines(file, text);
    } catch (JsonProcessingException e) {
      throw new ModelFormatException(
          file + ", line " + e.getLocation().getLineNr() + ": " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
  }

  /** Only at line feeds: other characters that end lines may be tokens. */
  private static List<String> lines(Path file, String text) {
    Tokens tokens = new Tokens(file);
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      tokens.add(text.substring(start, end), tokens.all.size() + 1);
      start = end + 1;
    }
    return tokens.all;
  }

  private static List<String> json(Path file, String text) throws IOException {
    Tokens tokens = new Tokens(file);
    try (JsonParser parser = JsonFactory.builder().build().createParser(text)) {
      boolean list = parser.nextToken() == JsonToken.START_ARRAY;
      while (list && parser.nextToken() == JsonToken.VALUE_STRING) {
        tokens.add(parser.getText(), parser.currentTokenLocation().getLineNr());
      }
      if (!list || parser.currentToken() != JsonToken.END_ARRAY || parser.nextToken() != null) {
        throw new ModelFormatException(
            file
                + ", line "
                + parser.currentTokenLocation().getLineNr()
                + ": expected a list of texts, found "
                + (parser.currentToken() == null ? "its end" : parser.currentToken()));
      }
    }
    return tokens.all;
  }

  /** Tokens without duplicates. */
  private static final class Tokens {
    private final Path file;
    private final List<String> all = new ArrayList<>();
    private final Map<String, Integer> ids = new HashMap<>();

    Tokens(Path file) {
      this.file = file;
    }

    void add(String token, int line) {
      Integer earlier = ids.putIfAbsent(token, all.size());
      if (earlier != null) {
        throw new ModelFormatException(
            file + ", line " + line + ": the token \"" + token + "\" is that of id " + earlier);
      }
      if (Utf8.loneSurrogate(token) >= 0) {
        throw new ModelFormatException(file + ", line " + line + ": the token is not Unicode");
      }
      if (all.size() == Vocabulary.MAX_SIZE) {
        throw new ModelFormatException(
            file + ", line " + line + ": expected at most " + Vocabulary.MAX_SIZE + " tokens");
      }
      all.add(token);
    }
  }
}
