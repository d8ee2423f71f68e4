package io.latimer.operators.util;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads YAML of unknown origin. The parser itself bounds neither the depth of a document, nor what
 * its aliases expand to, and lets some of its errors escape: here all errors are {@link
 * InvalidYamlException}.
 *
 * @param maxCharacters of the text
 * @param maxNodes of the document, with every alias counted as what it stands for
 * @param maxScalar characters of a text or number
 */
public record BoundedYaml(int maxCharacters, int maxNodes, int maxScalar) {
  /** Maximum nesting of lists and mappings; reading them is recursive. */
  public static final int MAX_DEPTH = 100;

  /** Longer lines are refused in a stream of events: the parser copies its look-ahead. */
  private static final int MAX_LINE = 16 << 20;

  /** What the parser reads at a time; the smaller, the costlier a long text without a space. */
  private static final int MAX_BUFFER = 1 << 20;

  private static final int MIN_BUFFER = 1 << 10;

  /** The text is not YAML, or exceeds a limit. */
  public static final class InvalidYamlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int line;

    InvalidYamlException(String message, int line, Throwable cause) {
      super(message, cause);
      this.line = line;
    }

    /** The line, from 1; 1 if unknown. */
    public int line() {
      return line;
    }
  }

  /**
   * The values of a document: maps, lists, texts, numbers, booleans and null.
   *
   * @param label names the text in messages
   * @throws InvalidYamlException if the text is invalid
   */
  public Object load(String text, String label) {
    check(text, label);
    return guarded(() -> new Load(settings(text, label).build()).loadFromString(text));
  }

  /**
   * The nodes of a document, which may have the same key twice.
   *
   * @return empty for an empty document
   * @throws InvalidYamlException if the text is invalid
   */
  public Optional<Node> compose(String text, String label) {
    check(text, label);
    LoadSettings settings = settings(text, label).setAllowDuplicateKeys(true).build();
    return guarded(() -> new Compose(settings).composeString(text));
  }

  /**
   * The events of a text of any number of nodes, one by one. Only characters, lines and scalars are
   * bounded.
   */
  public Iterator<Event> events(String text, String label) {
    require(text.length() <= maxCharacters, 1, "more than " + maxCharacters + " characters");
    int start = 0;
    for (int line = 1; start < text.length(); line++) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      require(end - start <= MAX_LINE, line, "the line has more than " + MAX_LINE + " characters");
      start = end + 1;
    }
    Iterator<Event> events =
        guarded(() -> new Parse(settings(text, label).build()).parseString(text).iterator());
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return guarded(events::hasNext);
      }

      @Override
      public Event next() {
        Event event = guarded(events::next);
        if (event instanceof ScalarEvent scalar) {
          requireShort(scalar);
        }
        return event;
      }
    };
  }

  private void requireShort(ScalarEvent scalar) {
    int length = scalar.getValue().length();
    require(
        length <= maxScalar,
        line(scalar.getStartMark()),
        "a value has " + length + " characters; the maximum is " + maxScalar);
  }

  /** The size of a part of the document. */
  private static final class Size {
    private final Optional<String> anchor;
    private long nodes = 1;
    private int depth = 1;

    Size(Optional<String> anchor) {
      this.anchor = anchor;
    }

    void add(Size part) {
      nodes += part.nodes;
      depth = Math.max(depth, part.depth + 1);
    }
  }

  /** Checks the size of a document, without recursion. */
  private void check(String text, String label) {
    Map<String, Size> anchors = new HashMap<>();
    Deque<Size> open = new ArrayDeque<>();
    Size document = new Size(Optional.empty());
    open.push(document);
    Iterator<Event> events = events(text, label);
    while (events.hasNext()) {
      Event event = events.next();
      int line = line(event.getStartMark());
      Size done = null;
      switch (event.getEventId()) {
        case MappingStart, SequenceStart -> {
          Size size = new Size(anchor(event));
          // an alias of an enclosing node would make the document endless
          size.anchor.ifPresent(name -> anchors.put(name, null));
          open.push(size);
          require(open.size() <= MAX_DEPTH + 1, line, "lists and mappings are nested too deeply");
        }
        case MappingEnd, SequenceEnd -> done = open.pop();
        case Scalar -> done = new Size(anchor(event));
        case Alias -> {
          String name = ((AliasEvent) event).getAlias().getValue();
          done = anchors.get(name);
          require(
              done != null || !anchors.containsKey(name),
              line,
              "the alias *" + brief(name) + " is inside what it stands for");
          require(done != null, line, "the alias *" + brief(name) + " stands for nothing");
        }
        default -> {
          // starts and ends of the document
        }
      }
      if (done != null) {
        if (event.getEventId() != Event.ID.Alias) {
          Size size = done;
          done.anchor.ifPresent(name -> anchors.put(name, size));
        }
        Size parent = open.peek();
        parent.add(done);
        require(parent.nodes <= maxNodes, line, "it has more than " + maxNodes + " values");
        require(
            open.size() + done.depth <= MAX_DEPTH + 1,
            line,
            "lists and mappings are nested too deeply");
      }
    }
  }

  private static Optional<String> anchor(Event event) {
    return ((NodeEvent) event).getAnchor().map(anchor -> anchor.getValue());
  }

  private org.snakeyaml.engine.v2.api.LoadSettingsBuilder settings(String text, String label) {
    return LoadSettings.builder()
        .setLabel(label)
        .setCodePointLimit(maxCharacters)
        .setMaxAliasesForCollections(maxNodes) // what they expand to is bounded instead
        .setBufferSize(Math.min(Math.max(text.length() + 1, MIN_BUFFER), MAX_BUFFER));
  }

  /** Runs the parser and wraps its errors: a bad escape or version makes it throw anything. */
  private static <T> T guarded(Supplier<T> parser) {
    try {
      return parser.get();
    } catch (InvalidYamlException e) {
      throw e;
    } catch (MarkedYamlEngineException e) {
      throw new InvalidYamlException(brief(e.getProblem()), line(e.getProblemMark()), e);
    } catch (YamlEngineException e) {
      throw new InvalidYamlException(brief(e.getMessage()), 1, e);
    } catch (RuntimeException e) {
      throw new InvalidYamlException("a value cannot be read: " + brief(e.getMessage()), 1, e);
    }
  }

  private static int line(Optional<Mark> mark) {
    return mark.map(at -> at.getLine() + 1).orElse(1);
  }

  private static void require(boolean holds, int line, String problem) {
    if (!holds) {
      throw new InvalidYamlException(problem, line, null);
    }
  }

  /**
   * A value for a message: lists and mappings only by their kind, because what they contain may be
   * long without end.
   */
  public static String brief(Object value) {
    if (value instanceof Map<?, ?>) {
      return "a mapping";
    }
    if (value instanceof List<?> || value instanceof Iterable<?>) {
      return "a list";
    }
    String text = String.valueOf(value);
    return text.length() > 200 ? text.substring(0, 200) + "..." : text;
  }
}
