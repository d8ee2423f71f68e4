package io.latimer.operators.text.numbers;

import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Random numbers of every kind, as English writes them. */
final class RandomNumbers {
  /** Kinds that {@link #next} takes turns with. */
  static final int KINDS = 18;

  private static final String[] UNITS = {"mg", "kg", "km", "km/h", "GB", "kWh", "°C", "m²", "ml"};
  private static final String[] MONEY = {"$", "€", "£", "¥", "CHF ", "SEK ", "USD "};
  private static final String[] MONTHS = {
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December"
  };

  private final Random random;

  RandomNumbers(long seed) {
    random = new Random(seed);
  }

  String next(int kind) {
    return switch (kind) {
      case 0 -> figure();
      case 1 -> "-" + figure();
      case 2 -> figure() + "%";
      case 3 -> oneOf(MONEY) + amount();
      case 4 -> figure() + " " + oneOf(UNITS);
      case 5 -> figure() + oneOf(UNITS);
      case 6 -> random.nextInt(100) + "–" + (100 + random.nextInt(900)) + " " + oneOf(UNITS);
      case 7 -> "$" + random.nextInt(10) + "–" + (10 + random.nextInt(90));
      case 8 -> (5 + random.nextInt(30)) + "-" + random.nextInt(5);
      case 9 -> date("%d/%d/%d");
      case 10 -> MONTHS[random.nextInt(12)] + " " + day() + ", " + year();
      case 11 -> String.format(Locale.ROOT, "%d-%02d-%02d", year(), 1 + random.nextInt(12), day());
      case 12 ->
          (1 + random.nextInt(12)) + ":" + minute() + (random.nextBoolean() ? " a.m" : " PM");
      case 13 -> (13 + random.nextInt(10)) + ":" + minute();
      case 14 -> ordinal(1 + random.nextInt(120));
      case 15 -> (1 + random.nextInt(99)) + "." + (1 + random.nextInt(9)) + " million";
      case 16 -> (char) ('A' + random.nextInt(26)) + "" + random.nextInt(1000);
      default -> random.nextInt(50) + " " + (1 + random.nextInt(4)) + "/" + (5 + random.nextInt(5));
    };
  }

  private String oneOf(String[] all) {
    return all[random.nextInt(all.length)];
  }

  private String figure() {
    String decimals = random.nextBoolean() ? "" : "." + (1 + random.nextInt(99));
    return random.nextBoolean()
        ? random.nextInt(100_000) + decimals
        : String.format(Locale.ROOT, "%,d", random.nextInt(10_000_000)) + decimals;
  }

  private String amount() {
    return String.format(Locale.ROOT, "%,.2f", random.nextInt(10_000_000) / 100.0);
  }

  private String date(String format) {
    return String.format(Locale.ROOT, format, 1 + random.nextInt(12), day(), year());
  }

  private int day() {
    return 1 + random.nextInt(28);
  }

  private int year() {
    return 1000 + random.nextInt(1100);
  }

  private String minute() {
    return String.format(Locale.ROOT, "%02d", random.nextInt(60));
  }

  private static String ordinal(int number) {
    List<String> endings = List.of("th", "st", "nd", "rd");
    boolean teen = number / 10 % 10 == 1;
    return number + (teen || number % 10 > 3 ? "th" : endings.get(number % 10));
  }
}
