package io.latimer.operators.memory;

import io.latimer.operators.OperatorException;
import io.latimer.operators.text.ModelLanguages;
import io.latimer.operators.util.Xml;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads pairs of texts from a translation memory in TMX 1.4b, unit by unit. Codes of inline markup
 * are left out, the text that they mark is kept. A document type is not read, and entities that it
 * would define are refused. The memory that it takes does not grow with the file.
 */
public final class TmxReader implements AutoCloseable {
  /** Maximum characters of a segment. */
  private static final int MAX_SEGMENT = 1 << 18;

  /** Maximum languages of a unit. */
  private static final int MAX_LANGUAGES = 1_000;

  /** Maximum depth of elements. */
  private static final int MAX_DEPTH = 64;

  private static final String ALL = "*all*";

  private final XMLStreamReader xml;
  private final String targetLanguage;
  private String sourceLanguage; // that of the header if none is given
  private long skipped;

  /**
   * A unit with both languages.
   *
   * @param line where it begins, from 1
   * @param source text
   * @param target text
   */
  public record Unit(int line, String source, String target) {}

  /**
   * Opens a file.
   *
   * @param in not closed by this object
   * @param sourceLanguage of the sources, a BCP 47 tag; if empty, the file's
   * @param targetLanguage of the targets; if empty, the only other language of each unit
   * @throws OperatorException if it is not XML
   */
  public TmxReader(InputStream in, String sourceLanguage, String targetLanguage) {
    this.sourceLanguage = sourceLanguage;
    this.targetLanguage = targetLanguage;
    try {
      xml = Xml.reader(in);
    } catch (XMLStreamException e) {
      throw notXml(e);
    }
  }

  /**
   * The next unit that has both languages; null at the end.
   *
   * @throws OperatorException saying in which line the file is not such a memory
   */
  public Unit next() {
    try {
      while (xml.hasNext()) {
        int event = xml.next();
        if (event != XMLStreamConstants.START_ELEMENT) {
          continue;
        }
        String name = xml.getLocalName();
        if (name.equals("header") && sourceLanguage.isEmpty()) {
          sourceLanguage = known(xml.getAttributeValue(null, "srclang"));
        } else if (name.equals("tu")) {
          Optional<Unit> unit = unit();
          if (unit.isPresent()) {
            return unit.get();
          }
          skipped++;
        }
      }
      return null;
    } catch (XMLStreamException e) {
      throw notXml(e);
    }
  }

  /** Units that lack one of the languages, so far. */
  public long skipped() {
    return skipped;
  }

  private Optional<Unit> unit() throws XMLStreamException {
    int line = xml.getLocation().getLineNumber();
    String own = known(xml.getAttributeValue(null, "srclang"));
    Map<String, String> texts = new LinkedHashMap<>(); // by language, the first one of each
    String language = "";
    for (int depth = 1; depth > 0; ) {
      int event = xml.next();
      if (event == XMLStreamConstants.END_ELEMENT) {
        depth--;
      } else if (event == XMLStreamConstants.START_ELEMENT) {
        String name = xml.getLocalName();
        if (name.equals("seg")) {
          texts.putIfAbsent(language, segment());
          if (texts.size() > MAX_LANGUAGES) {
            throw wrong("a unit has more than " + MAX_LANGUAGES + " languages");
          }
          continue; // its end was read
        }
        language = name.equals("tuv") ? language() : language;
        if (++depth > MAX_DEPTH) {
          throw wrong("elements have more than " + MAX_DEPTH + " levels");
        }
      }
    }
    return pair(line, own.isEmpty() ? sourceLanguage : own, texts);
  }

  private String language() {
    String tag = xml.getAttributeValue(XMLConstants.XML_NS_URI, "lang");
    return known(tag == null ? xml.getAttributeValue(null, "lang") : tag); // as before TMX 1.4
  }

  private static String known(String language) {
    return language == null || language.equals(ALL) ? "" : language.strip();
  }

  private Optional<Unit> pair(int line, String from, Map<String, String> texts) {
    String source = null;
    String target = null;
    int others = 0;
    for (Map.Entry<String, String> text : texts.entrySet()) {
      boolean isSource =
          source == null && (from.isEmpty() || ModelLanguages.areSame(text.getKey(), from));
      if (isSource) {
        source = text.getValue();
      } else if (targetLanguage.isEmpty()
          || ModelLanguages.areSame(text.getKey(), targetLanguage)) {
        target = target == null ? text.getValue() : target;
        others++;
      }
    }
    if (targetLanguage.isEmpty() && others > 1) {
      throw new OperatorException(
          "line "
              + line
              + ": the unit has the languages "
              + String.join(", ", texts.keySet())
              + "; say which is the target language");
    }
    return source == null || target == null || source.isBlank() || target.isBlank()
        ? Optional.empty()
        : Optional.of(new Unit(line, source, target));
  }

  /** The text of a segment, up to its end. */
  private String segment() throws XMLStreamException {
    StringBuilder text = new StringBuilder();
    int depth = 1;
    int codes = 0; // depth in an element whose content is not text
    while (depth > 0) {
      switch (xml.next()) {
        case XMLStreamConstants.START_ELEMENT -> {
          depth++;
          boolean isText = xml.getLocalName().equals("hi") || xml.getLocalName().equals("sub");
          codes = codes > 0 || !isText ? codes + 1 : 0;
        }
        case XMLStreamConstants.END_ELEMENT -> {
          depth--;
          codes = Math.max(0, codes - 1);
        }
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> {
          if (codes == 0) {
            text.append(xml.getTextCharacters(), xml.getTextStart(), xml.getTextLength());
          }
        }
        case XMLStreamConstants.ENTITY_REFERENCE ->
            throw wrong("the entity &" + xml.getLocalName() + "; is not read; write its text");
        default -> {}
      }
      if (text.length() > MAX_SEGMENT || depth > MAX_DEPTH) {
        throw wrong(
            "a segment has more than "
                + MAX_SEGMENT
                + " characters, or more than "
                + MAX_DEPTH
                + " levels");
      }
    }
    return text.toString().strip();
  }

  private OperatorException wrong(String what) {
    return new OperatorException("line " + xml.getLocation().getLineNumber() + ": " + what);
  }

  private static OperatorException notXml(XMLStreamException e) {
    return new OperatorException(Xml.line(e) + "not TMX: " + Xml.message(e), e);
  }

  @Override
  public void close() {
    try {
      xml.close();
    } catch (XMLStreamException e) {
      throw notXml(e);
    }
  }
}
