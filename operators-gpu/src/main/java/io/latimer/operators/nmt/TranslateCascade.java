package io.latimer.operators.nmt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.nmt.Translate.Companion;
import io.latimer.operators.nmt.Translate.Model;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.text.LanguagePair;
import io.latimer.operators.text.ModelLanguages;
import io.latimer.operators.text.TextInput;
import io.latimer.operators.text.terms.Terminology;
import io.latimer.operators.util.Closer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Translates with a list of models: a text whose translation is of low quality is translated by the
 * next one, too, and the better translation is taken. {@link Translated#model} says whose it is.
 *
 * <p>All models have the same languages, memory and glossary. A text that the first model cannot
 * translate fails; one that only a later model cannot translate keeps the translation that it has.
 */
public final class TranslateCascade implements TextTranslator {
  /** Languages that models name if they have none, or many. */
  private static final Set<String> UNKNOWN = Set.of("", "und", "mul");

  private final List<Translate> models;
  private final double minQuality;

  /**
   * Makes a cascade of translators, which it closes.
   *
   * @param models in the order of their use, one or more
   * @param minQuality 0 to 1: translations below it go on
   * @throws OperatorException if a model that has a next one does not judge its translations, or
   *     the models have different languages; then the translators stay open
   */
  TranslateCascade(List<Translate> models, double minQuality) {
    this.models = List.copyOf(models);
    this.minQuality = minQuality;
    for (int i = 0; i + 1 < models.size(); i++) {
      if (!models.get(i).judges()) {
        throw new OperatorException(
            "model "
                + name(models.get(i).model())
                + " does not judge its translations, so none would go to the next model; add a judge"
                + " to it with `latimer model train-quality`, and have it give scores");
      }
      requireSameLanguages(models.get(0).model(), models.get(i + 1).model());
    }
  }

  private static void requireSameLanguages(Model first, Model next) {
    if (!areSame(first.sourceLanguage(), next.sourceLanguage())
        || !areSame(first.targetLanguage(), next.targetLanguage())) {
      throw new OperatorException(
          "model "
              + name(first)
              + " translates from \""
              + first.sourceLanguage()
              + "\" to \""
              + first.targetLanguage()
              + "\", and the next one, "
              + name(next)
              + ", from \""
              + next.sourceLanguage()
              + "\" to \""
              + next.targetLanguage()
              + "\"; all models of a list need the same languages");
    }
  }

  private static boolean areSame(String one, String other) {
    return UNKNOWN.contains(one) || UNKNOWN.contains(other) || ModelLanguages.areSame(one, other);
  }

  private static String name(Model model) {
    return model.version().isEmpty() ? model.id() : "\"" + model.version() + "\"";
  }

  /**
   * An opener for the file of the first model.
   *
   * @param memories opens the memory of each translator
   * @param terminologies opens the glossary of each translator
   * @param next files of the other models, in the order of their use; may be empty
   * @param minQuality 0 to 1: translations below it go on
   */
  public static IndexOpener<TranslateCascade> opener(
      TranslateOptions options,
      Companion<TranslationMemory> memories,
      Companion<Terminology> terminologies,
      List<IndexRef> next,
      double minQuality) {
    IndexOpener<Translate> one = Translate.opener(options, memories, terminologies);
    return new IndexOpener<>(
        TranslationModel.KIND,
        (residents, ref, device) -> {
          Closer opened = new Closer();
          try {
            List<Translate> models = new ArrayList<>();
            models.add(opened.add(one.open(residents, ref, device)));
            next.forEach(other -> models.add(opened.add(one.open(residents, other, device))));
            return new TranslateCascade(models, minQuality);
          } catch (RuntimeException | Error e) {
            opened.closeAfter(e);
            throw e;
          }
        });
  }

  /** The translator with the first model. */
  public Translate first() {
    return models.get(0);
  }

  @Override
  public List<Result<Translated>> translate(List<TextInput> batch) {
    List<Result<Translated>> results = new ArrayList<>(first().translate(batch));
    for (Translate next : models.subList(1, models.size())) {
      List<Integer> doubtful = new ArrayList<>();
      for (int i = 0; i < results.size(); i++) {
        if (isDoubtful(results.get(i))) {
          doubtful.add(i);
        }
      }
      if (doubtful.isEmpty()) {
        break;
      }
      List<Result<Translated>> others = next.translate(doubtful.stream().map(batch::get).toList());
      for (int i = 0; i < others.size(); i++) {
        int place = doubtful.get(i);
        results.set(place, better(results.get(place), others.get(i)));
      }
    }
    return Collections.unmodifiableList(results);
  }

  /**
   * What was not judged was taught, or has nothing to translate, and a next model knows no more.
   */
  private boolean isDoubtful(Result<Translated> result) {
    return result instanceof Result.Value<Translated> value
        && value.value().quality().orElse(1) < minQuality;
  }

  private static Result<Translated> better(Result<Translated> known, Result<Translated> next) {
    if (!(next instanceof Result.Value<Translated> value)) {
      return known;
    }
    OptionalDouble quality = value.value().quality();
    return quality.isEmpty() || quality.getAsDouble() >= known.orElseThrow().quality().getAsDouble()
        ? next
        : known;
  }

  @Override
  public LanguagePair languages(TextInput text) {
    return first().languages(text);
  }

  @Override
  public int inFlight() {
    return first().inFlight();
  }

  @Override
  public void abandon() {
    models.forEach(Translate::abandon);
  }

  @Override
  public void close() {
    Closer opened = new Closer();
    models.forEach(opened::add);
    opened.close();
  }
}
