package io.latimer.operators.util;

import java.io.InputStream;
import java.io.Reader;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads XML of others: no declared entity is expanded, and nothing outside of it is opened. */
public final class Xml {
  private static final int MAX_MESSAGE_CHARS = 200;

  private Xml() {}

  /** A reader of characters. */
  public static XMLStreamReader reader(Reader characters) throws XMLStreamException {
    return factory().createXMLStreamReader(characters);
  }

  /** A reader of bytes in the encoding that the document declares. */
  public static XMLStreamReader reader(InputStream bytes) throws XMLStreamException {
    return factory().createXMLStreamReader(bytes);
  }

  private static XMLInputFactory factory() {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    return factory;
  }

  /** What is wrong with a document: the line and the parser's message. */
  public static String reason(XMLStreamException e) {
    return line(e) + message(e);
  }

  /** Where it is wrong, as in {@code line 3: }; empty if unknown. */
  public static String line(XMLStreamException e) {
    return e.getLocation() == null ? "" : "line " + e.getLocation().getLineNumber() + ": ";
  }

  /** The parser's message. */
  public static String message(XMLStreamException e) {
    String message = String.valueOf(e.getMessage()).replaceFirst("(?s).*\nMessage: ", "");
    return message.substring(0, Math.min(MAX_MESSAGE_CHARS, message.length()));
  }
}
