package io.latimer.operators.text;

import com.ibm.icu.util.IllformedLocaleException;
import com.ibm.icu.util.ULocale;
import io.latimer.operators.RecordException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The languages of a model that has several, found by the model's own names for them ({@code
 * deu_Latn}, {@code de_DE}, {@code __de__}, {@code >>deu<<}, {@code <2de>}) and by BCP 47 tags.
 * Thread-safe.
 */
public final class ModelLanguages {
  private static final Pattern DECORATED = Pattern.compile(">>(.+)<<|__(.+)__|<2(.+)>");

  /** A region of mBART's that stands for none. */
  private static final String NO_REGION = "-XX";

  /** Clients' spellings that are remembered: more than there are languages. */
  private static final int MAX_REMEMBERED = 4096;

  /** Languages with two tags each, of which a model knows one. */
  private static final Map<String, String> SYNONYMS = Map.of("no", "nb", "nb", "no");

  /** A language of the model. */
  private record Language(String token, String name, ULocale locale) {}

  private final List<Language> languages = new ArrayList<>();
  private final Map<String, Language> remembered = new ConcurrentHashMap<>();

  /**
   * The languages of some tokens.
   *
   * @param tokens as {@link SentenceFormat#languages} lists them
   */
  public ModelLanguages(List<String> tokens) {
    for (String token : tokens) {
      languages.add(new Language(token, name(token), locale(name(token))));
    }
  }

  /** Whether a token looks as if it named a language, such as {@code >>deu<<}. */
  public static boolean isDecorated(String token) {
    return DECORATED.matcher(token).matches();
  }

  private static String name(String token) {
    Matcher decorated = DECORATED.matcher(token);
    if (!decorated.matches()) {
      return token;
    }
    for (int group = 1; group < decorated.groupCount(); group++) {
      if (decorated.group(group) != null) {
        return decorated.group(group);
      }
    }
    return decorated.group(decorated.groupCount());
  }

  /** With the likely script; without a language if it has none. */
  private static ULocale locale(String name) {
    String tag = name.replace('_', '-');
    String plain = tag.endsWith(NO_REGION) ? tag.substring(0, tag.length() - 3) : tag;
    try {
      ULocale given = new ULocale.Builder().setLanguageTag(plain).build();
      return ULocale.addLikelySubtags(ULocale.createCanonical(given));
    } catch (IllformedLocaleException e) {
      return ULocale.ROOT;
    }
  }

  /** Whether a tag names a language that the other names too, whatever their regions. */
  public static boolean areSame(String tag, String other) {
    if (tag.equals(other)) {
      return true;
    }
    ULocale one = locale(tag);
    ULocale two = locale(other);
    return one.getLanguage().equals(two.getLanguage()) && one.getScript().equals(two.getScript());
  }

  /** The BCP 47 tags of all, as short as they can be; the model's name where there is no tag. */
  public List<String> tags() {
    return languages.stream().map(ModelLanguages::tag).toList();
  }

  /** The BCP 47 tag of a token of these languages. */
  public String tag(String token) {
    return languages.stream()
        .filter(language -> language.token.equals(token))
        .map(ModelLanguages::tag)
        .findFirst()
        .orElseThrow();
  }

  private static String tag(Language language) {
    if (language.locale.getLanguage().isEmpty()) {
      return language.name;
    }
    ULocale likely = ULocale.addLikelySubtags(new ULocale(language.locale.getLanguage()));
    String script = language.locale.getScript();
    return likely.getScript().equals(script)
        ? language.locale.getLanguage()
        : language.locale.getLanguage() + "-" + script;
  }

  /**
   * The token of a language.
   *
   * @param given a BCP 47 tag, or the model's name for it
   * @param verb what the model does with the language, for messages: "read" or "write"
   * @throws RecordException listing the languages, if the model lacks it
   */
  String token(String given, String verb) {
    Language known = remembered.get(given);
    if (known == null) {
      known = find(given, verb);
      if (remembered.size() < MAX_REMEMBERED) {
        remembered.put(given, known);
      }
    }
    return known.token;
  }

  private Language find(String given, String verb) {
    for (Language language : languages) {
      if (language.token.equalsIgnoreCase(given) || language.name.equalsIgnoreCase(given)) {
        return language;
      }
    }
    ULocale wanted = locale(given);
    return find(wanted)
        .or(
            () ->
                Optional.ofNullable(SYNONYMS.get(wanted.getLanguage()))
                    .flatMap(synonym -> find(locale(synonym))))
        .orElseThrow(
            () ->
                new RecordException(
                    "the model cannot " + verb + " the language \"" + given + "\"; " + all()));
  }

  /** The first of a language and script; one of the region, too, where there is one. */
  private Optional<Language> find(ULocale wanted) {
    Map<Boolean, Language> found = new LinkedHashMap<>();
    for (Language language : languages) {
      ULocale locale = language.locale;
      if (!locale.getLanguage().isEmpty()
          && locale.getLanguage().equals(wanted.getLanguage())
          && locale.getScript().equals(wanted.getScript())) {
        found.putIfAbsent(locale.getCountry().equals(wanted.getCountry()), language);
      }
    }
    return Optional.ofNullable(found.getOrDefault(true, found.get(false)));
  }

  /** Says which there are, for messages. */
  String all() {
    return "it knows " + String.join(", ", tags());
  }
}
