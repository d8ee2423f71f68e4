package io.latimer.pipelines.feed;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import io.latimer.pipelines.config.Settings;
import io.latimer.schemas.Sentence;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Extracts sentences from events of Wikimedia EventStreams, whose schemas all have {@code meta}
 * with the event's id, time, domain and page.
 */
final class WikimediaEvents {
  private static final JsonPointer ID = JsonPointer.compile("/meta/id");
  private static final JsonPointer TIME = JsonPointer.compile("/meta/dt");
  private static final JsonPointer DOMAIN = JsonPointer.compile("/meta/domain");
  private static final JsonPointer PAGE = JsonPointer.compile("/meta/uri");

  /** The domain of the servers' own test events. */
  private static final String CANARY = "canary";

  private static final Pattern PROJECT =
      Pattern.compile(
          "([a-z]{2,3})\\.(?:wikipedia|wiktionary|wikinews|wikiquote|wikisource|wikibooks"
              + "|wikiversity|wikivoyage)\\.org");

  private final JsonPointer text;
  private final Map<JsonPointer, String> where = new LinkedHashMap<>();
  private final String name;

  /**
   * Creates an extractor.
   *
   * @param settings of the feed
   * @param name the feed's name in records; empty for the event's domain
   */
  WikimediaEvents(Settings settings, String name) {
    text = JsonPointer.compile(settings.get(FeedKeys.Wikimedia.TEXT));
    settings
        .get(FeedKeys.Wikimedia.WHERE)
        .forEach((path, value) -> where.put(JsonPointer.compile(path), value));
    this.name = name;
  }

  /** The sentence of an event; empty if it is filtered out or has none. */
  Optional<Sentence> sentence(JsonNode event, byte[] data) {
    String domain = event.at(DOMAIN).asText();
    String found = event.at(text).isTextual() ? event.at(text).textValue() : "";
    if (found.isBlank() || domain.equals(CANARY) || !isWanted(event)) {
      return Optional.empty();
    }
    String id = event.at(ID).asText();
    Matcher project = PROJECT.matcher(domain);
    return Optional.of(
        FeedSentence.of(
            id.isEmpty() ? FeedSentence.idOf(data) : id,
            !name.isEmpty() ? name : domain.isEmpty() ? "wikimedia" : domain,
            project.matches() ? project.group(1) : "",
            found,
            time(event).orElseGet(Instant::now),
            "link",
            event.at(PAGE).asText()));
  }

  private boolean isWanted(JsonNode event) {
    return where.entrySet().stream()
        .allMatch(one -> event.at(one.getKey()).asText().equals(one.getValue()));
  }

  /** The time of an event; empty if it has none. */
  Optional<Instant> time(JsonNode event) {
    try {
      return Optional.of(OffsetDateTime.parse(event.at(TIME).asText()).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
