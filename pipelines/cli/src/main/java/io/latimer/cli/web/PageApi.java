package io.latimer.cli.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.cli.command.CommandException;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** Handles the page's requests: sentences, corrections, and the latest statistics. Thread-safe. */
final class PageApi {
  /** Maximum size of a request body in bytes. */
  static final int MOST_BODY = 16 << 10;

  static final String SENTENCES = "/api/sentences";
  static final String CORRECTIONS = "/api/corrections";

  /** The paths that write. */
  static final Set<String> WRITES = Set.of(SENTENCES, CORRECTIONS);

  private static final int PER_SECOND = 5;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final TokenBucket writes = new TokenBucket(PER_SECOND, System::nanoTime);
  private volatile Optional<FeedWriter> writer = Optional.empty();
  private volatile String without = "The job is starting; try again.";
  private volatile String statistics = "{}";

  /** The response to a request. */
  record Answer(int status, String json) {
    static Answer error(int status, String reason) {
      return new Answer(status, PageJson.of("error", reason));
    }
  }

  /** Called when the job runs and accepts input from the page. */
  void begin(FeedWriter to) {
    writer = Optional.of(to);
  }

  /** Called when the job accepts no more input. */
  void end() {
    without = "The job has ended.";
    writer = Optional.empty();
  }

  void statistics(String json) {
    statistics = json;
  }

  /** The latest statistics. */
  String statistics() {
    return statistics;
  }

  /**
   * Executes a request.
   *
   * @param path one of {@link #WRITES}
   * @param body JSON
   */
  Answer write(String path, byte[] body) throws InterruptedException {
    Optional<FeedWriter> to = writer;
    if (to.isEmpty()) {
      return Answer.error(503, without);
    }
    if (!writes.take()) {
      return Answer.error(429, "At most " + PER_SECOND + " texts a second can be sent; try again.");
    }
    try {
      JsonNode request = MAPPER.readTree(body);
      String id =
          path.equals(SENTENCES)
              ? to.get().sentence(text(request, "text"))
              : to.get()
                  .correction(
                      text(request, "stage"), text(request, "source"), text(request, "target"));
      return new Answer(202, PageJson.of("id", id));
    } catch (JsonProcessingException e) {
      return Answer.error(400, "The body is not JSON.");
    } catch (IOException e) {
      return Answer.error(400, "The body cannot be read.");
    } catch (IllegalArgumentException e) {
      return Answer.error(400, e.getMessage());
    } catch (IllegalStateException e) {
      return Answer.error(409, "The job does not take it: it has " + e.getMessage() + ".");
    } catch (CommandException e) {
      return Answer.error(502, e.getMessage());
    }
  }

  private static String text(JsonNode request, String name) {
    JsonNode value = request == null ? null : request.get(name);
    if (value == null || !value.isTextual() || value.textValue().isBlank()) {
      throw new IllegalArgumentException("the text \"" + name + "\" is missing or empty");
    }
    String text = value.textValue();
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (!Character.isSurrogatePair(
            text.charAt(i), i + 1 < text.length() ? text.charAt(i + 1) : 0)) {
          throw new IllegalArgumentException("the text \"" + name + "\" has half a character");
        }
        i++;
      }
    }
    return text;
  }
}
