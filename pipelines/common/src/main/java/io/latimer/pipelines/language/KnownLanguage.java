package io.latimer.pipelines.language;

import java.lang.Character.UnicodeScript;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

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

  /** Whether its script alone says that a text is in this language. */
  boolean hasItsOwnScript() {
    return codes.isEmpty();
  }
}
