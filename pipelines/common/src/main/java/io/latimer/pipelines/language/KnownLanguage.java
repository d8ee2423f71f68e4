package io.latimer.pipelines.language;

import java.lang.Character.UnicodeScript;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A language that can be told from others.
 *
 * @param tag its BCP 47 tag
 * @param script in which it is told from others; Japanese counts as {@code HAN}
 * @param codes its names in the library's model; none if its script alone says what it is
 */
record KnownLanguage(String tag, UnicodeScript script, List<String> codes) {
  private static final String TABLE =
      """
      LATIN af=afr ast=ast az=aze br=bre bs=bos ca=cat ceb=ceb cs=ces cy=cym da=dan de=deu en=eng
      LATIN eo=epo es=spa et=ekk eu=eus fi=fin fo=fao fr=fra fy=fry ga=gle gl=glg hr=hrv hu=hun
      LATIN id=ind is=isl it=ita jv=jav la=lat lb=ltz lt=lit lv=lvs mg=plt mi=mri ms=msa mt=mlt
      LATIN nb=nob nl=nld nn=nno oc=oci pl=pol pt=por ro=ron sk=slk sl=slv so=som sq=sqi su=sun
      LATIN sv=swe sw=swa tl=tgl tr=tur uz=uzb vi=vie zu=zul
      CYRILLIC be=bel bg=bul kk=kaz ky=kir mk=mkd mn=mon ru=rus sr=srp tg=tgk tt=tat uk=ukr
      ARABIC ar=ara fa=fas,pes ps=pus ur=urd
      DEVANAGARI hi=hin mr=mar ne=nep sa=san
      HAN ja=jpn zh=cmn
      ARMENIAN hy
      BENGALI bn
      GEORGIAN ka
      GREEK el
      GUJARATI gu
      GURMUKHI pa
      HANGUL ko
      HEBREW he
      KANNADA kn
      KHMER km
      LAO lo
      MALAYALAM ml
      MYANMAR my
      SINHALA si
      TAMIL ta
      TELUGU te
      THAI th
      """;

  /** Other tags of the same languages, besides the library's names. */
  private static final Map<String, String> SYNONYMS =
      Map.of("no", "nb", "fil", "tl", "iw", "he", "in", "id");

  /** Languages whose texts are often taken for each other. */
  private static final List<Set<String>> TWINS =
      List.of(
          Set.of("bs", "hr", "sr"),
          Set.of("cs", "sk"),
          Set.of("da", "nb", "nn"),
          Set.of("gl", "pt"),
          Set.of("id", "ms"));

  /** Scripts in use that are not the one in which a language is told from others. */
  private static final Map<String, Set<UnicodeScript>> OTHER_SCRIPTS =
      Map.of(
          "az", EnumSet.of(UnicodeScript.CYRILLIC, UnicodeScript.ARABIC),
          "bs", EnumSet.of(UnicodeScript.CYRILLIC),
          "kk", EnumSet.of(UnicodeScript.LATIN, UnicodeScript.ARABIC),
          "ky", EnumSet.of(UnicodeScript.ARABIC),
          "ms", EnumSet.of(UnicodeScript.ARABIC),
          "pa", EnumSet.of(UnicodeScript.ARABIC),
          "ro", EnumSet.of(UnicodeScript.CYRILLIC),
          "sr", EnumSet.of(UnicodeScript.LATIN),
          "tt", EnumSet.of(UnicodeScript.LATIN),
          "uz", EnumSet.of(UnicodeScript.CYRILLIC, UnicodeScript.ARABIC));

  private static final Map<String, KnownLanguage> BY_TAG = read();

  private static Map<String, KnownLanguage> read() {
    Map<String, KnownLanguage> languages = new LinkedHashMap<>();
    for (String line : TABLE.lines().toList()) {
      String[] words = line.split(" ", -1);
      UnicodeScript script = UnicodeScript.valueOf(words[0]);
      for (int i = 1; i < words.length; i++) {
        String[] names = words[i].split("[=,]", -1);
        List<String> codes = new ArrayList<>(List.of(names));
        String tag = codes.remove(0);
        languages.put(tag, new KnownLanguage(tag, script, List.copyOf(codes)));
      }
    }
    return languages;
  }

  /** All of them. */
  static List<KnownLanguage> all() {
    return List.copyOf(BY_TAG.values());
  }

  /**
   * The language of a tag, whatever its region; empty if it is not known, or not in this script.
   *
   * @param tag of BCP 47, such as {@code de-AT}
   */
  static Optional<KnownLanguage> of(String tag) {
    Locale locale = Locale.forLanguageTag(tag.replace('_', '-'));
    String language = locale.getLanguage();
    KnownLanguage known = BY_TAG.get(SYNONYMS.getOrDefault(language, language));
    return Optional.ofNullable(known).filter(one -> one.isWrittenIn(locale.getScript()));
  }

  /**
   * Whether it is told apart in a script.
   *
   * @param code of ISO 15924; empty for the usual one
   */
  private boolean isWrittenIn(String code) {
    return switch (code) {
      case "" -> true;
      case "Hans", "Hant", "Hani", "Jpan" -> script == UnicodeScript.HAN;
      case "Kore" -> script == UnicodeScript.HANGUL;
      default -> isScript(code);
    };
  }

  private boolean isScript(String code) {
    try {
      return UnicodeScript.forName(code) == script;
    } catch (IllegalArgumentException e) {
      return false; // no script that Unicode has
    }
  }

  /** The languages for which its texts are often taken. */
  List<KnownLanguage> twins() {
    return TWINS.stream()
        .filter(twins -> twins.contains(tag))
        .flatMap(Set::stream)
        .filter(twin -> !twin.equals(tag))
        .sorted()
        .map(BY_TAG::get)
        .toList();
  }

  /** Whether another language is the same, or one of its twins. */
  boolean isLike(KnownLanguage other) {
    return equals(other) || twins().contains(other);
  }

  /**
   * Whether it is also written in a script in which neither it nor a twin is told from others, so
   * that its texts look like whatever else is written there.
   */
  boolean isUntoldIn(UnicodeScript other) {
    return OTHER_SCRIPTS.getOrDefault(tag, Set.of()).contains(other)
        && twins().stream().noneMatch(twin -> twin.script == other);
  }

  /** Whether its script alone says that a text is in this language. */
  boolean hasItsOwnScript() {
    return codes.isEmpty();
  }
}
