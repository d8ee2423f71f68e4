package io.latimer.cli.web;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * JSON for the page, on one line. Characters that are special in HTML or JavaScript are escaped,
 * too, because the text of a feed is untrusted, wherever a copy of it ends up.
 */
final class PageJson {
  private static final JsonFactory FACTORY = new JsonFactory();

  private PageJson() {}

  /** Writes one value. */
  @FunctionalInterface
  interface Content {
    void write(JsonGenerator json) throws IOException;
  }

  /** The additional escapes. */
  private static final class Escapes extends CharacterEscapes {
    private static final long serialVersionUID = 1L;
    private static final String SPECIAL = "<>&'";

    private final int[] ascii = CharacterEscapes.standardAsciiEscapesForJSON();

    Escapes() {
      SPECIAL.chars().forEach(c -> ascii[c] = CharacterEscapes.ESCAPE_STANDARD);
      ascii[0x7f] = CharacterEscapes.ESCAPE_STANDARD;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return ascii.clone();
    }

    @Override
    public SerializableString getEscapeSequence(int c) {
      // Unicode line separators and C1 controls
      return c == 0x2028 || c == 0x2029 || (c >= 0x80 && c < 0xa0)
          ? new SerializedString(String.format("\\u%04x", c))
          : null;
    }
  }

  static String of(Content content) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      json.setCharacterEscapes(new Escapes());
      content.write(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a string writer never fails
    }
    return text.toString();
  }

  /** An object with one text. */
  static String of(String name, String value) {
    return of(
        json -> {
          json.writeStartObject();
          json.writeStringField(name, value);
          json.writeEndObject();
        });
  }
}
