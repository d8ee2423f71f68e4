package io.latimer.operators.glossary.text;

import io.latimer.operators.RecordException;
import io.latimer.operators.glossary.index.GlossaryFormatException;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.util.Xml;
import java.io.FilterInputStream;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads TermBase eXchange: {@code termEntry} with {@code langSet} and {@code tig} or {@code ntig}
 * (ISO 30042:2008, TBX-Basic), and {@code conceptEntry} with {@code langSec} and {@code termSec}
 * (ISO 30042:2019). An entry is one term: its terms in the source language are the source forms,
 * those in the target language the target forms, preferred ones first, without deprecated and
 * superseded ones. A document type is passed over; no DTD and no external entity is read.
 */
final class TbxReader {
  private static final Set<String> ENTRIES = Set.of("termEntry", "conceptEntry");
  private static final Set<String> LANGUAGES = Set.of("langSet", "langSec");
  private static final Set<String> TERMS = Set.of("tig", "ntig", "termSec");
  private static final String STATUS = "administrativeStatus";
  private static final String XML = "http://www.w3.org/XML/1998/namespace";

  private static final int MAX_DEPTH = 64;

  /** Maximum bytes between two parts of the document: bounds attributes and comments. */
  private static final long MAX_PART = 1 << 20;

  private static final int MAX_LANGUAGES = 20;

  private final Path file;
  private final String source;
  private final String target;
  private final TermSink sink;
  private final Set<String> seen = new TreeSet<>();
  private XMLStreamReader xml;
  private int depth;
  private int terms;
  private int skipped;
  private TbxEntry entry;
  private String language = "";
  private int line;

  /**
   * Prepares to read.
   *
   * @param source BCP 47 tag; terms of a more special one, such as en-US for en, are of it, too
   * @param target the same for the target forms
   */
  TbxReader(Path file, String source, String target, TermSink sink) {
    this.file = file;
    this.source = source;
    this.target = target;
    this.sink = sink;
  }

  /** Entries without a usable term in both languages. */
  int skipped() {
    return skipped;
  }

  /**
   * Reads a document.
   *
   * @throws GlossaryFormatException naming the line
   */
  void read(CountedStream in) throws IOException {
    PartLimit limit = new PartLimit(in);
    try {
      xml = Xml.reader(XmlCharacters.of(limit));
      while (xml.hasNext()) {
        int event = xml.next();
        limit.restart();
        handle(event);
      }
    } catch (XMLStreamException e) {
      if (e.getNestedException() instanceof CharacterCodingException encoding) {
        throw new GlossaryFormatException(
            file + " is neither UTF-8 nor UTF-16 with a byte order mark; convert it to UTF-8",
            encoding);
      }
      if (e.getNestedException() instanceof IOException io) {
        throw io;
      }
      throw new GlossaryFormatException(file + " is not TBX: " + Xml.reason(e), e);
    } catch (RecordException e) {
      throw new GlossaryFormatException(file + " line " + line + ": " + e.getMessage(), e);
    }
    if (terms == 0) {
      throw new GlossaryFormatException(
          file
              + " has no entry with terms in "
              + source
              + " and "
              + target
              + (seen.isEmpty()
                  ? "; it has no termEntry or conceptEntry of TBX"
                  : "; it has terms in " + String.join(", ", seen)));
    }
  }

  private void handle(int event) {
    switch (event) {
      case XMLStreamConstants.START_ELEMENT -> {
        if (++depth > MAX_DEPTH) {
          line = xml.getLocation().getLineNumber();
          throw new RecordException("more than " + MAX_DEPTH + " elements inside each other");
        }
        start(xml.getLocalName());
      }
      case XMLStreamConstants.END_ELEMENT -> {
        depth--;
        end(xml.getLocalName());
      }
      case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
        if (entry != null) {
          entry.text(xml.getTextCharacters(), xml.getTextStart(), xml.getTextLength());
        }
      }
      default -> {}
    }
  }

  private void start(String name) {
    if (ENTRIES.contains(name)) {
      entry = new TbxEntry();
      line = xml.getLocation().getLineNumber();
    } else if (entry == null) {
      return;
    } else if (LANGUAGES.contains(name)) {
      String tag = xml.getAttributeValue(XML, "lang");
      language = tag == null ? "" : tag.strip().replace('_', '-');
      if (seen.size() < MAX_LANGUAGES && !language.isEmpty()) {
        seen.add(language);
      }
    } else if (TERMS.contains(name)) {
      entry.beginTerm();
    } else if (name.equals("term")) {
      entry.beginText(TbxEntry.Part.TERM);
    } else if (name.equals(STATUS)
        || (name.equals("termNote") && STATUS.equals(xml.getAttributeValue(null, "type")))) {
      entry.beginText(TbxEntry.Part.STATUS);
    }
  }

  private void end(String name) {
    if (entry == null) {
      return;
    }
    if (name.equals("term") || name.equals("termNote") || name.equals(STATUS)) {
      entry.endText();
    } else if (TERMS.contains(name)) {
      entry.endTerm(isOf(source), isOf(target));
    } else if (LANGUAGES.contains(name)) {
      language = "";
    } else if (ENTRIES.contains(name)) {
      if (entry.isComplete()) {
        Term term = Term.of(entry.sources(), entry.targets());
        sink.add(term, line);
        terms++;
      } else {
        skipped++;
      }
      entry = null;
    }
  }

  /** Whether the language of the element is one that was asked for. */
  private boolean isOf(String wanted) {
    String tag = language.toLowerCase(Locale.ROOT);
    String other = wanted.toLowerCase(Locale.ROOT);
    return tag.equals(other) || tag.startsWith(other + "-");
  }

  /** Ends a document that has too many bytes in one part, which the parser would keep in memory. */
  private static final class PartLimit extends FilterInputStream {
    private final CountedStream counted;
    private long start;

    PartLimit(CountedStream in) {
      super(in);
      this.counted = in;
    }

    void restart() {
      start = counted.bytes();
    }

    @Override
    public int read() throws IOException {
      check();
      return super.read();
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
      check();
      return super.read(to, from, length);
    }

    private void check() throws IOException {
      if (counted.bytes() - start > MAX_PART) {
        throw new IOException("a tag or comment has more than " + MAX_PART + " bytes");
      }
    }
  }
}
