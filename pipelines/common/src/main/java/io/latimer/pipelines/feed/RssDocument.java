package io.latimer.pipelines.feed;

import com.rometools.rome.feed.synd.SyndContent;
import com.rometools.rome.feed.synd.SyndEntry;
import com.rometools.rome.feed.synd.SyndFeed;
import com.rometools.rome.io.SyndFeedInput;
import io.latimer.operators.util.Xml;
import io.latimer.pipelines.feed.text.HtmlText;
import io.latimer.pipelines.feed.text.XmlText;
import io.latimer.schemas.Sentence;
import java.io.FilterReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Parses the sentences of an RSS or Atom document. Rejects document types, and with them custom
 * entities, and limits the number of elements before the tree is built.
 */
final class RssDocument {
  static final int MAX_ENTRIES = 2_000;
  private static final int MAX_ELEMENTS = 100_000;
  private static final int MAX_DEPTH = 100;
  private static final int MAX_ID_CHARS = 2_048;

  /** Recognizes an HTML page by its first characters. */
  private static final Pattern HTML =
      Pattern.compile(
          "(?:<\\?xml[^>]*>|<!--.*?-->|\\s++)*+"
              + "<(?:!doctype\\s+html|html|head|title|meta|link|script|style|body)\\b",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final int LOOKED_AT = 4_096;

  private RssDocument() {}

  /**
   * Reads a document.
   *
   * @param bytes of limited length
   * @param contentType of the response, which may name the encoding; may be empty
   * @param name the feed's name in records
   * @return in reverse document order, because a document has the newest first; {@link
   *     #MAX_ENTRIES} at most, without entries that have no text
   * @throws InvalidDocumentException if it is not such a document
   */
  static List<Sentence> sentences(
      byte[] bytes, String contentType, String name, FeedKeys.EntryText text)
      throws InvalidDocumentException {
    SyndFeed feed = feed(XmlText.of(bytes, contentType));
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

  /** Links that do not identify an entry: that of the feed itself, and those of several entries. */
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

  private static SyndFeed feed(String xml) throws InvalidDocumentException {
    if (xml.isEmpty()) {
      throw new InvalidDocumentException("the document is empty");
    }
    try {
      check(xml);
      return parsed(xml);
    } catch (InvalidDocumentException e) {
      if (HTML.matcher(xml.substring(0, Math.min(LOOKED_AT, xml.length()))).lookingAt()) {
        throw new InvalidDocumentException(
            "the document is an HTML page, not a feed; give the address of the feed itself", e);
      }
      throw e;
    }
  }

  private static void check(String xml) throws InvalidDocumentException {
    EndReader text = new EndReader(xml);
    try {
      XMLStreamReader reader = Xml.reader(text);
      int elements = 0;
      int depth = 0;
      while (reader.hasNext()) {
        int event = reader.next();
        if (event == XMLStreamConstants.DTD) {
          throw new InvalidDocumentException("the document has a DOCTYPE, which is not read");
        }
        if (event == XMLStreamConstants.START_ELEMENT) {
          elements += 1 + reader.getAttributeCount() + reader.getNamespaceCount();
          depth++;
        } else if (event == XMLStreamConstants.END_ELEMENT) {
          depth--;
        }
        if (elements > MAX_ELEMENTS || depth > MAX_DEPTH) {
          throw new InvalidDocumentException(
              "the document has more than "
                  + MAX_ELEMENTS
                  + " elements and attributes, or more than "
                  + MAX_DEPTH
                  + " levels");
        }
      }
    } catch (XMLStreamException e) {
      throw new InvalidDocumentException(
          text.ended
              ? "the document is cut off: it ends before its elements do"
              : "the document is not XML: " + Xml.reason(e),
          e);
    }
  }

  /** Detects truncated documents: only with these does a parser read beyond the end. */
  private static final class EndReader extends FilterReader {
    private boolean ended;

    EndReader(String text) {
      super(new StringReader(text));
    }

    @Override
    public int read() throws IOException {
      int c = super.read();
      ended |= c < 0;
      return c;
    }

    @Override
    public int read(char[] to, int from, int length) throws IOException {
      int n = super.read(to, from, length);
      ended |= n < 0;
      return n;
    }
  }

  private static SyndFeed parsed(String xml) throws InvalidDocumentException {
    SyndFeedInput input = new SyndFeedInput();
    input.setAllowDoctypes(false);
    try {
      SyndFeed feed = input.build(new StringReader(xml));
      if (String.valueOf(feed.getFeedType()).startsWith("atom")) {
        feed.getEntries().forEach(RssDocument::setTypes);
      }
      return feed;
    } catch (com.rometools.rome.io.FeedException | RuntimeException e) {
      throw new InvalidDocumentException("the document is not RSS or Atom: " + firstLine(e), e);
    }
  }

  private static String firstLine(Exception e) {
    String message = String.valueOf(e.getMessage());
    return message.lines().findFirst().orElse("");
  }

  /** Sets missing types to text, as in Atom (RFC 4287, 3.1.1 and 4.1.3.1). */
  private static void setTypes(SyndEntry entry) {
    List<SyndContent> texts = new ArrayList<>(entry.getContents());
    texts.add(entry.getTitleEx());
    texts.add(entry.getDescription());
    for (SyndContent text : texts) {
      if (text != null && text.getType() == null) {
        text.setType("text");
      }
    }
  }

  private static Optional<Sentence> sentence(
      SyndEntry entry, String name, String language, FeedKeys.EntryText part, Set<String> shared) {
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

  private static String text(SyndEntry entry, FeedKeys.EntryText part) {
    String title = part == FeedKeys.EntryText.SUMMARY ? "" : text(entry.getTitleEx());
    String summary = part == FeedKeys.EntryText.TITLE ? "" : summary(entry);
    return title.isEmpty() || summary.isEmpty() ? title + summary : title + '\n' + summary;
  }

  private static String summary(SyndEntry entry) {
    String summary = text(entry.getDescription());
    for (SyndContent content : entry.getContents()) {
      summary = summary.isEmpty() ? text(content) : summary;
    }
    return summary;
  }

  /** Extracts text by Atom's content types; RSS has none and contains HTML. */
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
