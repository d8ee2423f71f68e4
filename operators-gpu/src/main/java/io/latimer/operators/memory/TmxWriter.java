package io.latimer.operators.memory;

import io.latimer.operators.OperatorException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes pairs of texts as a translation memory in TMX 1.4b, in UTF-8. */
public final class TmxWriter implements AutoCloseable {
  private final XMLStreamWriter xml;
  private final String sourceLanguage;
  private final String targetLanguage;

  /**
   * Begins a file.
   *
   * @param out not closed by this object
   * @param version of the program that writes it
   * @param sourceLanguage a BCP 47 tag
   * @param targetLanguage a BCP 47 tag
   */
  public TmxWriter(OutputStream out, String version, String sourceLanguage, String targetLanguage) {
    this.sourceLanguage = sourceLanguage;
    this.targetLanguage = targetLanguage;
    try {
      xml =
          XMLOutputFactory.newDefaultFactory()
              .createXMLStreamWriter(out, StandardCharsets.UTF_8.name());
      xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
      xml.writeCharacters("\n");
      xml.writeStartElement("tmx");
      xml.writeAttribute("version", "1.4");
      xml.writeCharacters("\n");
      xml.writeEmptyElement("header");
      xml.writeAttribute("creationtool", "latimer");
      xml.writeAttribute("creationtoolversion", version);
      xml.writeAttribute("segtype", "sentence");
      xml.writeAttribute("o-tmf", "latimer");
      xml.writeAttribute("adminlang", "en");
      xml.writeAttribute("srclang", sourceLanguage);
      xml.writeAttribute("datatype", "plaintext");
      xml.writeCharacters("\n");
      xml.writeStartElement("body");
      xml.writeCharacters("\n");
    } catch (XMLStreamException e) {
      throw failed(e);
    }
  }

  /**
   * Writes a pair.
   *
   * @throws OperatorException if a text has a character that XML cannot have, or writing fails
   */
  public void write(String source, String target) {
    requireXml(source);
    requireXml(target);
    try {
      xml.writeStartElement("tu");
      variant(sourceLanguage, source);
      variant(targetLanguage, target);
      xml.writeEndElement();
      xml.writeCharacters("\n");
    } catch (XMLStreamException e) {
      throw failed(e);
    }
  }

  private void variant(String language, String text) throws XMLStreamException {
    xml.writeStartElement("tuv");
    xml.writeAttribute("xml", XMLConstants.XML_NS_URI, "lang", language);
    xml.writeStartElement("seg");
    int from = 0;
    for (int at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', from)) {
      xml.writeCharacters(text.substring(from, at));
      xml.writeEntityRef("#xD"); // a reader takes the character itself for a line feed
      from = at + 1;
    }
    xml.writeCharacters(text.substring(from));
    xml.writeEndElement();
    xml.writeEndElement();
  }

  private static void requireXml(String text) {
    text.codePoints()
        .filter(TmxWriter::isForbidden)
        .findFirst()
        .ifPresent(
            c -> {
              throw new OperatorException(
                  "a text has the character U+%04X, which XML cannot have; remove it".formatted(c));
            });
  }

  private static boolean isForbidden(int c) {
    return (c < ' ' && c != '\t' && c != '\n' && c != '\r')
        || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)
        || c == 0xFFFE
        || c == 0xFFFF;
  }

  /** Ends the file; call it before {@link #close} if all pairs are written. */
  public void end() {
    try {
      xml.writeEndDocument();
      xml.writeCharacters("\n");
      xml.flush();
    } catch (XMLStreamException e) {
      throw failed(e);
    }
  }

  private static OperatorException failed(XMLStreamException e) {
    return new OperatorException("TMX cannot be written: " + e.getMessage(), e);
  }

  @Override
  public void close() {
    try {
      xml.close();
    } catch (XMLStreamException e) {
      throw failed(e);
    }
  }
}
