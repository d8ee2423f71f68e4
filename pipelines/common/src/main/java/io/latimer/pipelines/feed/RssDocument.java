package io.latimer.pipelines.feed;

import com.rometools.rome.feed.synd.SyndContent;
import com.rometools.rome.feed.synd.SyndEntry;
import com.rometools.rome.feed.synd.SyndFeed;
import com.rometools.rome.io.SyndFeedInput;
import com.rometools.rome.io.XmlReader;
import io.latimer.schemas.Sentence;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * The sentences of an RSS or Atom document. Document types, and so entities of the document's own,
 * are refused, and elements are counted before the tree is built.
 */
final class RssDocument {
  static final int MAX_ENTRIES = 2_000;
  private static final int MAX_ELEMENTS = 100_000;
  private static final int MAX_DEPTH = 100;
  private static final int MAX_ID_CHARS = 2_048;

  private RssDocument() {}

  /**
   * Reads a document.
   *
   * @param bytes of limited length
   * @param contentType of the answer, which may name the encoding; may be empty
   * @param name the feed's name in records
   * @return in the reverse order of the document, which has the newest first; {@link #MAX_ENTRIES}
   *     at most, without entries that have no text
   * @throws IOException if it is no such document; a later answer may be one
   */
  static List<Sentence> sentences(
      byte[] bytes, String contentType, String name, RssOrigin.Text text) throws IOException {
    String xml = decoded(bytes, contentType);
    check(xml);
    SyndFeed feed = parsed(xml);
    String language = feed.getLanguage() == null ? "" : feed.getLanguage().strip();
    Set<String> shared = sharedLinks(feed);
    List<Sentence> sentences = new ArrayList<>();
    for (SyndEntry entry : feed.getEntries()) {
      if (sentences.size() == MAX_ENTRIES) {
        break;
      }
      sentence(entry, name, language, text, shared).ifPresent(sentences::add);
    }
    Collections.reverse(sentences);
    return sentences;
  }

  /** Links that identify no entry: that of the feed itself, and those of several entries. */
  private static Set<String> sharedLinks(SyndFeed feed) {
    Set<String> links = new HashSet<>();
    Set<String> shared = new HashSet<>();
    shared.add(stripped(feed.getLink()));
    for (SyndEntry entry : feed.getEntries()) {
      String link = stripped(entry.getLink());
      if (!links.add(link)) {
        shared.add(link);
      }
    }
    return shared;
  }

  private static String stripped(String text) {
    return text == null ? "" : text.strip();
  }

  private static String decoded(byte[] bytes, String contentType) throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(bytes);
    // null: no Content-Type, and a wrong one is corrected by the document
    try (XmlReader reader = new XmlReader(in, contentType.isEmpty() ? null : contentType, true)) {
      StringWriter text = new StringWriter();
      reader.transferTo(text);
      return text.toString();
    }
  }

  private static void check(String xml) throws IOException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(xml));
      int elements = 0;
      int depth = 0;
      while (reader.hasNext()) {
        int event = reader.next();
        if (event == XMLStreamConstants.DTD) {
          throw new IOException("the document has a DOCTYPE, which is not read");
        }
        if (event == XMLStreamConstants.START_ELEMENT) {
          elements += 1 + reader.getAttributeCount() + reader.getNamespaceCount();
          depth++;
        } else if (event == XMLStreamConstants.END_ELEMENT) {
          depth--;
        }
        if (elements > MAX_ELEMENTS || depth > MAX_DEPTH) {
          throw new IOException(
              "the document has more than "
                  + MAX_ELEMENTS
                  + " elements and attributes, or more than "
                  + MAX_DEPTH
                  + " levels");
        }
      }
    } catch (XMLStreamException e) {
      throw new IOException("the document is not XML: " + firstLine(e), e);
    }
  }

  private static SyndFeed parsed(String xml) throws IOException {
    SyndFeedInput input = new SyndFeedInput();
    input.setAllowDoctypes(false);
    try {
      return input.build(new StringReader(xml));
    } catch (com.rometools.rome.io.FeedException | RuntimeException e) {
      throw new IOException("the document is not RSS or Atom: " + firstLine(e), e);
    }
  }

  private static String firstLine(Exception e) {
    String message = String.valueOf(e.getMessage());
    return message.lines().findFirst().orElse("");
  }

  private static Optional<Sentence> sentence(
      SyndEntry entry, String name, String language, RssOrigin.Text part, Set<String> shared) {
    String text = text(entry, part);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String link = stripped(entry.getLink());
    String id = stripped(entry.getUri()); // without a GUID, the library puts the link there
    if (id.isEmpty() || (id.equals(link) && shared.contains(link))) {
      id = shared.contains(link) ? "" : link;
    }
    if (id.isEmpty() || id.length() > MAX_ID_CHARS) {
      id = FeedSentence.idOf((id + '\n' + text).getBytes(StandardCharsets.UTF_8));
    }
    return Optional.of(
        FeedSentence.of(
            id,
            name,
            language,
            text,
            time(entry),
            "link",
            link.length() > MAX_ID_CHARS ? "" : link));
  }

  private static Instant time(SyndEntry entry) {
    Date date =
        entry.getPublishedDate() != null ? entry.getPublishedDate() : entry.getUpdatedDate();
    return date == null ? Instant.now() : date.toInstant();
  }

  private static String text(SyndEntry entry, RssOrigin.Text part) {
    String title = part == RssOrigin.Text.SUMMARY ? "" : text(entry.getTitleEx());
    String summary = part == RssOrigin.Text.TITLE ? "" : summary(entry);
    return title.isEmpty() || summary.isEmpty() ? title + summary : title + '\n' + summary;
  }

  private static String summary(SyndEntry entry) {
    String summary = text(entry.getDescription());
    for (SyndContent content : entry.getContents()) {
      summary = summary.isEmpty() ? text(content) : summary;
    }
    return summary;
  }

  /** The types are those of Atom; RSS, which has none, contains HTML. */
  private static String text(SyndContent content) {
    if (content == null || content.getValue() == null) {
      return "";
    }
    boolean plain = "text".equals(content.getType()) || "text/plain".equals(content.getType());
    return plain
        ? content.getValue().strip().replaceAll("\\s+", " ")
        : HtmlText.of(content.getValue());
  }
}
