package io.latimer.operators.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.latimer.operators.OperatorException;
import io.latimer.operators.util.BoundedYaml;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.Utf8;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;

/**
 * Reads vocabulary files. YAML is read as parser events without a schema, because every YAML schema
 * except the failsafe one converts tokens such as {@code on}, {@code no}, {@code 12} and {@code
 * 1e3} to other types.
 */
final class VocabularyFiles {
  /** A vocabulary of MAX_SIZE tokens of ordinary length is smaller. */
  private static final long MAX_BYTES = 256L << 20;

  private static final BoundedYaml YAML = new BoundedYaml((int) MAX_BYTES, 0, 1 << 16);

  private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");

  private VocabularyFiles() {}

  static Vocabulary read(Path file) {
    byte[] bytes = bytes(file);
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".spm") || name.endsWith(".model")) {
      return sentencePiece(file, bytes);
    }
    String text = text(file, bytes);
    if (name.endsWith(".yml") || name.endsWith(".yaml")) {
      return yaml(file, text);
    }
    return name.endsWith(".json") ? json(file, text) : plain(file, text);
  }

  private static byte[] bytes(Path file) {
    try {
      long size = Files.size(file);
      if (size > MAX_BYTES) {
        throw new OperatorException(
            file + " has " + size + " bytes; a vocabulary has at most " + MAX_BYTES);
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new OperatorException(
          "cannot read the vocabulary " + file + ": " + FileErrors.reason(e), e);
    }
  }

  private static String text(Path file, byte[] bytes) {
    int error = Utf8.firstError(bytes);
    if (error >= 0) {
      int line = 1;
      for (int i = 0; i < error; i++) {
        line += bytes[i] == '\n' ? 1 : 0;
      }
      throw new OperatorException(
          file + ", line " + line + ": byte " + error + " is not UTF-8; convert the file to UTF-8");
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  private static Vocabulary sentencePiece(Path file, byte[] bytes) {
    SentencePieceModel model = SentencePieceModel.parse(bytes, file.toString());
    if (model.eosId() != Vocabulary.END || model.unkId() != Vocabulary.UNKNOWN) {
      throw new OperatorException(
          file
              + " numbers the end of a sentence "
              + model.eosId()
              + " and the unknown piece "
              + model.unkId()
              + "; as a vocabulary it must number them 0 and 1: give the model's vocab.yml as the"
              + " vocabulary and this file as the segmentation");
    }
    Entries entries = new Entries(file);
    List<SentencePieceModel.Piece> pieces = model.pieces();
    for (int id = 0; id < pieces.size(); id++) {
      entries.add(pieces.get(id).text(), id, "piece " + id);
    }
    return entries.vocabulary();
  }

  private static Vocabulary plain(Path file, String text) {
    Entries entries = new Entries(file);
    int id = 0;
    for (Iterator<String> lines = text.lines().iterator(); lines.hasNext(); id++) {
      String token = lines.next();
      if (token.isEmpty()) {
        throw new OperatorException(
            file + ", line " + (id + 1) + " is empty; every line must have one token");
      }
      if (token.indexOf(' ') >= 0 || token.indexOf('\t') >= 0) {
        throw new OperatorException(
            file
                + ", line "
                + (id + 1)
                + " has more than one token, \""
                + token
                + "\"; a plain vocabulary has one token per line: is this a file of BPE codes?");
      }
      entries.add(token, id, "line " + (id + 1));
    }
    return entries.vocabulary();
  }

  private static Vocabulary json(Path file, String text) {
    Entries entries = new Entries(file);
    try (JsonParser parser = JsonFactory.builder().build().createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new OperatorException(file + " must be one JSON object that maps tokens to ids");
      }
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String token = parser.currentName();
        String where = "line " + parser.currentTokenLocation().getLineNr();
        if (parser.nextToken() != JsonToken.VALUE_NUMBER_INT) {
          throw notAnId(file, where, token, parser.getText());
        }
        entries.add(token, parser.getText(), where);
      }
      if (parser.nextToken() != null) {
        throw new OperatorException(
            file
                + ", line "
                + parser.currentTokenLocation().getLineNr()
                + ": there is text after the end of the object");
      }
    } catch (IOException e) {
      throw new OperatorException(file + " is not JSON: " + e.getMessage(), e);
    }
    return entries.vocabulary();
  }

  private static Vocabulary yaml(Path file, String text) {
    Entries entries = new Entries(file);
    try {
      Iterator<Event> events = YAML.events(text, file.toString());
      Event event = events.next();
      while (event.getEventId() == Event.ID.StreamStart
          || event.getEventId() == Event.ID.DocumentStart) {
        event = events.next();
      }
      if (!(event instanceof MappingStartEvent)) {
        throw new OperatorException(
            file + ", " + line(event) + ": expected a mapping of tokens to ids");
      }
      for (event = events.next();
          event.getEventId() != Event.ID.MappingEnd;
          event = events.next()) {
        String key = scalar(file, event);
        entries.add(key, scalar(file, events.next()), line(event));
      }
      event = events.next();
      if (event.getEventId() != Event.ID.DocumentEnd
          || events.next().getEventId() != Event.ID.StreamEnd) {
        throw new OperatorException(
            file + ", " + line(event) + ": there is text after the end of the mapping");
      }
    } catch (BoundedYaml.InvalidYamlException e) {
      throw new OperatorException(
          file + " is not YAML: line " + e.line() + ": " + e.getMessage(), e);
    }
    return entries.vocabulary();
  }

  private static String scalar(Path file, Event event) {
    if (!(event instanceof ScalarEvent scalar)) {
      throw new OperatorException(
          file + ", " + line(event) + ": expected a token and its id, found a nested value");
    }
    if (((NodeEvent) scalar).getAnchor().isPresent()) {
      throw new OperatorException(
          file + ", " + line(event) + ": anchors are not allowed in a vocabulary; quote the token");
    }
    return scalar.getValue();
  }

  private static String line(Event event) {
    return "line " + event.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
  }

  private static OperatorException notAnId(Path file, String where, String token, String found) {
    return new OperatorException(
        file + ", " + where + ": the id of \"" + token + "\" is not a whole number: " + found);
  }

  /** Collects tokens and refuses invalid vocabularies. */
  private static final class Entries {
    private final Path file;
    private final Map<String, Integer> ids = new HashMap<>();
    private final BitSet taken = new BitSet();

    Entries(Path file) {
      this.file = file;
    }

    void add(String token, String id, String where) {
      if (!INTEGER.matcher(id).matches()) {
        throw notAnId(file, where, token, id);
      }
      add(token, Long.parseLong(id), where);
    }

    void add(String token, long id, String where) {
      if (id < 0 || id >= Vocabulary.MAX_SIZE) {
        throw refuse(
            where, token, "has id " + id + "; ids run from 0 to " + (Vocabulary.MAX_SIZE - 1));
      }
      if (Utf8.loneSurrogate(token) >= 0) {
        throw refuse(where, token, "has an unpaired surrogate");
      }
      if (taken.get((int) id)) {
        throw refuse(where, token, "has id " + id + ", which another token already has");
      }
      if (ids.putIfAbsent(token, (int) id) != null) {
        throw refuse(where, token, "occurs twice");
      }
      taken.set((int) id);
    }

    Vocabulary vocabulary() {
      if (ids.isEmpty()) {
        throw new OperatorException(file + " has no token");
      }
      return Vocabulary.of(ids, taken.length());
    }

    private OperatorException refuse(String where, String token, String what) {
      return new OperatorException(file + ", " + where + ": the token \"" + token + "\" " + what);
    }
  }
}
