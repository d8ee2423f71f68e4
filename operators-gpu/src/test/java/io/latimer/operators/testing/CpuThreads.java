package io.latimer.operators.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.util.Team;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Checks that an operator has as many threads as {@value Team#THREADS} says. */
public final class CpuThreads {
  /** More than one, and rarely the machine's own number. */
  private static final int THREADS = 5;

  private CpuThreads() {}

  /**
   * Opens an operator while the property is set.
   *
   * @param teams number of teams that it must have, each of that many threads
   */
  public static void assertTeams(int teams, Supplier<? extends BatchOperator<?, ?>> open) {
    with(
        Integer.toString(THREADS),
        () -> {
          try (BatchOperator<?, ?> operator = open.get()) {
            assertThat(teams(operator))
                .hasSize(teams)
                .allSatisfy(team -> assertThat(team.size()).isEqualTo(THREADS));
          }
        });
  }

  /**
   * Runs a check while the property is set.
   *
   * @param threads its value, or null for none
   */
  public static void with(String threads, Runnable check) {
    String before = System.getProperty(Team.THREADS);
    set(threads);
    try {
      check.run();
    } finally {
      set(before);
    }
  }

  private static void set(String threads) {
    if (threads == null) {
      System.clearProperty(Team.THREADS);
    } else {
      System.setProperty(Team.THREADS, threads);
    }
  }

  /** The teams that an operator holds, itself or in what it is made of. */
  private static List<Team> teams(Object operator) {
    List<Team> found = new ArrayList<>();
    look(operator, Collections.newSetFromMap(new IdentityHashMap<>()), found);
    return found;
  }

  private static void look(Object at, Set<Object> seen, List<Team> found) {
    if (at == null || !at.getClass().getName().startsWith("io.latimer.") || !seen.add(at)) {
      return;
    }
    if (at instanceof Team team) {
      found.add(team);
      return;
    }
    for (Class<?> type = at.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
          look(value(field, at), seen, found);
        }
      }
    }
  }

  private static Object value(Field field, Object of) {
    if (!field.getType().getName().startsWith("io.latimer.")) {
      return null;
    }
    try {
      field.setAccessible(true);
      return field.get(of);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(field.toString(), e);
    }
  }
}
