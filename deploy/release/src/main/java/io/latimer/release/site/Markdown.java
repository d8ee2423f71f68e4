package io.latimer.release.site;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.UnaryOperator;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** A page of Markdown as HTML, with the headings' ids that GitHub gives them. */
final class Markdown {
  private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

  /** A heading on a page, with its text in plain characters. */
  record Section(int level, String id, String text) {}

  /**
   * A page.
   *
   * @param title its first heading; empty if it has none
   * @param body HTML
   */
  record Page(String title, List<Section> sections, String body) {}

  private Markdown() {}

  /**
   * Renders a page.
   *
   * @param links maps the destination of each link and image to that on the site
   */
  static Page render(String text, UnaryOperator<String> links) {
    Node document = PARSER.parse(text);
    List<Section> sections = new ArrayList<>();
    IdGenerator ids = IdGenerator.builder().build();
    IdentityHashMap<Node, String> idOf = new IdentityHashMap<>();
    document.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Heading heading) {
            String plain = plain(heading);
            String id = ids.generateId(plain);
            idOf.put(heading, id);
            sections.add(new Section(heading.getLevel(), id, plain));
            visitChildren(heading);
          }

          @Override
          public void visit(Link link) {
            link.setDestination(links.apply(link.getDestination()));
            visitChildren(link);
          }

          @Override
          public void visit(Image image) {
            image.setDestination(links.apply(image.getDestination()));
            visitChildren(image);
          }
        });
    wrapTables(document);
    String body =
        HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .attributeProviderFactory(
                context ->
                    (node, tag, attributes) -> {
                      if (idOf.containsKey(node)) {
                        attributes.put("id", idOf.get(node));
                      }
                    })
            .build()
            .render(document);
    return new Page(sections.isEmpty() ? "" : sections.get(0).text(), sections, body);
  }

  /** So that a table wider than a phone scrolls alone; reachable by keyboard. */
  private static void wrapTables(Node document) {
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof TableBlock) {
        node.insertBefore(html("<div class=\"wide\" tabindex=\"0\">"));
        HtmlBlock end = html("</div>");
        node.insertAfter(end);
        node = end;
      }
    }
  }

  private static HtmlBlock html(String literal) {
    HtmlBlock block = new HtmlBlock();
    block.setLiteral(literal);
    return block;
  }

  private static String plain(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }
        });
    return text.toString();
  }
}
