package io.latimer.pipelines.feed.text;

import java.util.Set;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeFilter;

/**
 * The text of HTML: without tags, comments, scripts and styles, with character references resolved.
 * Block elements and line breaks end a line; other white space is one space. Never fails; does not
 * read beyond {@link #MAX_TAGS} tags, so that the tree stays small.
 */
public final class HtmlText implements NodeFilter {
  static final int MAX_TAGS = 100_000;
  private static final Set<String> HIDDEN = Set.of("script", "style", "template", "noscript");
  private static final Pattern BLANKS = Pattern.compile("[\\x00- \\x85\\xa0\\u2028\\u2029]+");
  private static final Pattern GAP = Pattern.compile("[ \n]+");
  private static final Pattern UNPAIRED_SURROGATE = Pattern.compile("\\p{Cs}");

  private final StringBuilder text = new StringBuilder();

  private HtmlText() {}

  /** The text of a piece of HTML; lines are separated by line feeds. */
  public static String of(String html) {
    HtmlText text = new HtmlText();
    Jsoup.parseBodyFragment(html.substring(0, endOfTags(html))).body().filter(text);
    String lines =
        GAP.matcher(text.text).replaceAll(gap -> gap.group().contains("\n") ? "\n" : " ").trim();
    return UNPAIRED_SURROGATE.matcher(lines).replaceAll("\ufffd"); // jsoup lets &#xD800; through
  }

  private static int endOfTags(String html) {
    int end = html.indexOf('<');
    for (int tags = 0; tags < MAX_TAGS && end >= 0; tags++) {
      end = html.indexOf('<', end + 1);
    }
    return end < 0 ? html.length() : end;
  }

  @Override
  public FilterResult head(Node node, int depth) {
    if (node instanceof TextNode part) {
      text.append(BLANKS.matcher(part.getWholeText()).replaceAll(" "));
    } else if (node instanceof Element element) {
      if (HIDDEN.contains(element.normalName())) {
        return FilterResult.SKIP_ENTIRELY;
      }
      endLine(element);
    }
    return FilterResult.CONTINUE;
  }

  @Override
  public FilterResult tail(Node node, int depth) {
    if (node instanceof Element element) {
      endLine(element);
    }
    return FilterResult.CONTINUE;
  }

  private void endLine(Element element) {
    if (element.isBlock() || element.nameIs("br")) {
      text.append('\n');
    }
  }
}
