package io.latimer.pipelines.feed.text;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jsoup.nodes.Entities;

/**
 * Decodes an XML document for a parser. Repairs two common mistakes of feeds: white space before
 * the declaration, and HTML's named references, which XML does not know; their table is jsoup's.
 */
public final class XmlText {
  private static final Pattern CHARSET =
      Pattern.compile("\\bcharset\\s*=\\s*[\"']?([^\\s;\"']+)", Pattern.CASE_INSENSITIVE);
  private static final Pattern DECLARED =
      Pattern.compile("\\s*<\\?xml\\s[^>]*?\\bencoding\\s*=\\s*[\"']([^\"']+)[\"']");

  /** References by name, or what has none: a CDATA section, a comment or an instruction. */
  private static final Pattern NAMES =
      Pattern.compile(
          "<!\\[CDATA\\[.*?(?:]]>|\\z)|<!--.*?(?:-->|\\z)|<\\?.*?(?:\\?>|\\z)"
              + "|&([A-Za-z][A-Za-z0-9]{0,31}+);",
          Pattern.DOTALL);

  private static final Set<String> OF_XML = Set.of("amp", "lt", "gt", "quot", "apos");
  private static final int DECLARATION_BYTES = 1_024;

  /** Byte order marks, as Latin-1, and their encodings; longer ones first. */
  private static final Map<String, Charset> MARKS = new LinkedHashMap<>();

  static {
    MARKS.put("\u00ff\u00fe\0\0", Charset.forName("UTF-32LE"));
    MARKS.put("\0\0\u00fe\u00ff", Charset.forName("UTF-32BE"));
    MARKS.put("\u00ff\u00fe", StandardCharsets.UTF_16LE);
    MARKS.put("\u00fe\u00ff", StandardCharsets.UTF_16BE);
    MARKS.put("\u00ef\u00bb\u00bf", StandardCharsets.UTF_8);
  }

  private XmlText() {}

  /**
   * Decodes a document by its byte order mark, the server's header, its own declaration, or as
   * UTF-8, in this order (XML 1.0, 4.3.3; RFC 7303). An encoding that does not fit is skipped.
   *
   * @param contentType of the response; may be empty
   */
  public static String of(byte[] bytes, String contentType) {
    String text = decoded(bytes, contentType);
    int from = 0;
    while (from < text.length() && isBlank(text.charAt(from))) {
      from++;
    }
    return withoutNames(text.substring(from));
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\ufeff';
  }

  private static String decoded(byte[] bytes, String contentType) {
    int length = Math.min(DECLARATION_BYTES, bytes.length);
    String head = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    for (Map.Entry<String, Charset> mark : MARKS.entrySet()) {
      if (head.startsWith(mark.getKey())) {
        return new String(bytes, mark.getValue());
      }
    }
    if (bytes.length > 1 && (bytes[0] == 0 ^ bytes[1] == 0)) { // it begins with ASCII
      return new String(
          bytes, bytes[0] == 0 ? StandardCharsets.UTF_16BE : StandardCharsets.UTF_16LE);
    }
    Set<Charset> charsets = new LinkedHashSet<>();
    Matcher said = CHARSET.matcher(contentType);
    if (said.find()) {
      charset(said.group(1)).ifPresent(charsets::add);
    }
    Matcher declared = DECLARED.matcher(head);
    if (declared.lookingAt()) {
      charset(declared.group(1)).ifPresent(charsets::add);
    }
    charsets.add(StandardCharsets.UTF_8);
    for (Charset charset : charsets) {
      try {
        return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      } catch (CharacterCodingException e) {
        // try the next one
      }
    }
    return new String(bytes, charsets.iterator().next());
  }

  /**
   * A charset by name; empty if it is unknown, or not compatible with the ASCII at the document's
   * start.
   */
  private static Optional<Charset> charset(String name) {
    try {
      Charset charset = Charset.forName(name);
      boolean ascii = new String(new byte[] {'<'}, charset).equals("<");
      return ascii ? Optional.of(charset) : Optional.empty();
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      return Optional.empty();
    }
  }

  /** Writes references with HTML's names as numbers, except XML's own five. */
  private static String withoutNames(String xml) {
    return NAMES
        .matcher(xml)
        .replaceAll(found -> Matcher.quoteReplacement(numbers(found.group(), found.group(1))));
  }

  private static String numbers(String found, String name) {
    boolean known = name != null && !OF_XML.contains(name) && Entities.isNamedEntity(name);
    return known
        ? Entities.getByName(name)
            .codePoints()
            .mapToObj(c -> "&#" + c + ";")
            .collect(Collectors.joining())
        : found;
  }
}
