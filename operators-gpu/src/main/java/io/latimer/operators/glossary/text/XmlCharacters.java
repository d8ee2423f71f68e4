package io.latimer.operators.glossary.text;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * The characters of an XML document in Unicode, as TBX must be: UTF-16 with a byte order mark, else
 * UTF-8. The parser would print bytes of other encodings to the standard error.
 */
final class XmlCharacters {
  private static final int MARK_BYTES = 3;

  private XmlCharacters() {}

  /** Decodes strictly, without the byte order mark. */
  static Reader of(InputStream in) throws IOException {
    BufferedInputStream bytes = new BufferedInputStream(in);
    bytes.mark(MARK_BYTES);
    int first = bytes.read();
    int second = bytes.read();
    boolean utf16 = (first == 0xFE && second == 0xFF) || (first == 0xFF && second == 0xFE);
    boolean utf8Mark = first == 0xEF && second == 0xBB && bytes.read() == 0xBF;
    if (!utf8Mark) {
      bytes.reset();
    }
    Charset charset = utf16 ? StandardCharsets.UTF_16 : StandardCharsets.UTF_8;
    return new InputStreamReader(
        bytes,
        charset
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT));
  }
}
