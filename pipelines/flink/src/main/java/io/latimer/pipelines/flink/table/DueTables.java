package io.latimer.pipelines.flink.table;

import io.latimer.pipelines.stage.TableScope;
import io.latimer.schemas.TableDue;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * An ordered queue of the tables that are due but not made yet. The counts of a table stay in the
 * state of its group until it is emitted, so a restart makes it again; the queue has only names.
 */
final class DueTables {
  /** Describes the state of a group: its tables by number, ascending. */
  static MapStateDescriptor<Long, TableDue> descriptor() {
    return new MapStateDescriptor<>("due", Types.LONG, new AvroTypeInfo<>(TableDue.class));
  }

  /** Identifies a table of a group. */
  record Name(String group, long number) {}

  private final MapState<Long, TableDue> state;
  private final Deque<Name> queue = new ArrayDeque<>();

  DueTables(MapState<Long, TableDue> state) {
    this.state = state;
  }

  /** Restores the tables of a group; called for each group after a restart. */
  void restore(String group, MapState<Long, TableDue> ofGroup) throws Exception {
    for (long number : sorted(ofGroup)) {
      queue.add(new Name(group, number));
    }
  }

  /** Adds a table of the current group. */
  void add(String group, TableScope scope, byte[] counts) {
    try {
      List<Long> numbers = sorted(state);
      long number = numbers.isEmpty() ? 0 : numbers.get(numbers.size() - 1) + 1;
      state.put(
          number,
          new TableDue(
              scope.running(),
              scope.start(),
              scope.end(),
              scope.revision(),
              scope.records(),
              scope.late(),
              ByteBuffer.wrap(counts)));
      queue.add(new Name(group, number));
    } catch (Exception e) {
      throw new FlinkRuntimeException(e);
    }
  }

  int size() {
    return queue.size();
  }

  /** The name of the first table; the queue must not be empty. */
  Name first() {
    return queue.element();
  }

  /** The first table, whose group must be the current key. */
  TableDue table() throws Exception {
    return state.get(first().number());
  }

  static TableScope scope(String group, TableDue table) {
    return new TableScope(
        group,
        table.getRunning(),
        table.getStart(),
        table.getEnd(),
        table.getRevision(),
        table.getRecords(),
        table.getLate());
  }

  /** Removes the first table once it was emitted. Its group must be the current key. */
  void remove() throws Exception {
    state.remove(queue.remove().number());
  }

  private static List<Long> sorted(MapState<Long, TableDue> state) throws Exception {
    List<Long> numbers = new ArrayList<>();
    state.keys().forEach(numbers::add);
    Collections.sort(numbers);
    return numbers;
  }
}
