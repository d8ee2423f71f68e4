package io.latimer.pipelines.flink.state;

import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.AbstractChannelStateHandle;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/** A checkpoint or a savepoint, as its metadata describes it. */
public final class SavedState {
  /** Name of the state of Flink's async operator that lists the batches in flight. */
  private static final String BATCHES = "_async_wait_operator_state_";

  /** Name of the list state of Flink's sinks, with one or more entries for each subtask. */
  private static final String WRITERS = "writer_raw_states";

  private final String path;
  private final CheckpointMetadata metadata;

  /**
   * Counts of the states of a sink's writers. A subtask has one, more if the parallelism was once
   * higher, and none if it has finished.
   *
   * @param parallelism of the job that wrote them; 1 or more
   * @param states number of states; 1 or more
   * @param finished number of subtasks without a state
   */
  record Writers(int parallelism, int states, int finished) {}

  private SavedState(String path, CheckpointMetadata metadata) {
    this.path = path;
    this.metadata = metadata;
  }

  /**
   * Reads the metadata of a checkpoint or a savepoint.
   *
   * @param path its folder or its metadata file, as a URI or a path
   * @throws IOException if there is none or it cannot be read; the message says why
   */
  public static SavedState read(String path) throws IOException {
    CompletedCheckpointStorageLocation location;
    try {
      location = AbstractFsCheckpointStorageAccess.resolveCheckpointPointer(path);
    } catch (FileNotFoundException e) {
      throw new IOException(path + " is not there, or has no metadata", e);
    } catch (RuntimeException e) {
      // such as from an object store's client without credentials
      throw new IOException(path + " cannot be read: " + e, e);
    }
    try (DataInputStream in = new DataInputStream(location.getMetadataHandle().openInputStream())) {
      return new SavedState(
          location.getExternalPointer(),
          Checkpoints.loadCheckpointMetadata(
              in, SavedState.class.getClassLoader(), location.getExternalPointer()));
    } catch (IOException | RuntimeException e) {
      // a damaged file can end the reader with any of these
      throw new IOException("the metadata of " + path + " cannot be read: " + e, e);
    }
  }

  /** Its folder. */
  public String path() {
    return path;
  }

  /** Its number, which grows across the runs of a job if each starts from the previous one. */
  public long id() {
    return metadata.getCheckpointId();
  }

  /** Paths of referenced files that are missing or too short. */
  public List<String> missingFiles() throws IOException {
    // several states may be segments of one file
    Map<Path, Long> ends = new LinkedHashMap<>();
    for (StateObject handle : handles()) {
      Path file = file(handle);
      if (file != null) {
        ends.merge(file, end((StreamStateHandle) handle), Math::max);
      }
    }
    List<String> missing = new ArrayList<>();
    for (Map.Entry<Path, Long> end : ends.entrySet()) {
      if (length(end.getKey()) < end.getValue()) {
        missing.add(end.getKey().toString());
      }
    }
    return missing;
  }

  /**
   * Finds which index files a job restored from it needs.
   *
   * @param sha256s SHA-256 sums to look for, in lower-case hexadecimal digits
   * @return those that occur in the state
   * @throws IOException if any state cannot be read; the message says why
   */
  public Set<String> names(Set<String> sha256s) throws IOException {
    NamedContents contents = new NamedContents(sha256s);
    try {
      for (OperatorState operator : metadata.getOperatorStates()) {
        for (OperatorSubtaskState subtask : operator.getStates()) {
          for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
            contents.readOperator(handle.getDelegateStateHandle());
          }
        }
      }
      for (StateObject handle : handles()) {
        contents.read((StreamStateHandle) handle);
      }
    } catch (IOException | RuntimeException e) {
      throw new IOException("a state of " + path + " cannot be read: " + e.getMessage(), e);
    }
    return contents.found();
  }

  /**
   * The checkpoints and savepoints in a folder, at any depth.
   *
   * @param folder a path or a URI
   * @return the paths of their folders, which {@link #read} takes
   * @throws IOException if the folder cannot be read
   */
  public static List<String> find(String folder) throws IOException {
    List<String> found = new ArrayList<>();
    Path path = new Path(folder.startsWith("/") ? "file://" + folder : folder);
    if (!path.getFileSystem().exists(path)) {
      throw new FileNotFoundException(folder + " does not exist");
    }
    find(path, found);
    return found;
  }

  private static void find(Path folder, List<String> found) throws IOException {
    FileStatus[] content;
    try {
      content = folder.getFileSystem().listStatus(folder);
    } catch (FileNotFoundException e) {
      return; // the job has just deleted it
    }
    for (FileStatus status : content == null ? new FileStatus[0] : content) {
      if (status.isDir()) {
        find(status.getPath(), found);
      } else if (status.getPath().getName().equals(CheckpointFolder.METADATA)) {
        found.add(CheckpointFolder.uri(folder));
      }
    }
  }

  /** Whether the metadata of a checkpoint or savepoint is there. */
  public static boolean exists(String path) throws IOException {
    Path metadata = new Path(path, CheckpointFolder.METADATA);
    return metadata.getFileSystem().exists(metadata);
  }

  /** Whether any referenced file is in a folder, at any depth. */
  public boolean refersTo(Path folder) {
    String prefix = folder.getPath() + "/";
    return handles().stream()
        .map(SavedState::file)
        .anyMatch(file -> file != null && file.getPath().startsWith(prefix));
  }

  /** The end of a state's segment in its file. */
  private static long end(StreamStateHandle handle) {
    return handle instanceof SegmentFileStateHandle segment
        ? segment.getStartPos() + segment.getStateSize()
        : handle.getStateSize();
  }

  /** The file of a state; null if the handle contains the bytes itself. */
  private static Path file(StateObject handle) {
    if (handle instanceof FileStateHandle plain) {
      return plain.getFilePath();
    }
    return handle instanceof SegmentFileStateHandle segment ? segment.getFilePath() : null;
  }

  /** The length of a file; -1 if it does not exist. */
  private static long length(Path file) throws IOException {
    try {
      FileStatus status = file.getFileSystem().getFileStatus(file);
      return status.getLen();
    } catch (FileNotFoundException e) {
      return -1;
    }
  }

  /**
   * The number of batches in flight in each operator's state, by uid; operators without any are
   * left out. Watermarks between batches count, too.
   */
  public Map<String, Integer> batchesInFlight() {
    Map<String, Integer> batches = new LinkedHashMap<>();
    for (OperatorState operator : metadata.getOperatorStates()) {
      int count = 0;
      for (OperatorSubtaskState subtask : operator.getStates()) {
        count += batchesInFlight(subtask);
      }
      if (count > 0) {
        batches.merge(name(operator), count, Integer::sum);
      }
    }
    return batches;
  }

  /** The number of batches in flight, and watermarks between them, in a subtask's state. */
  public static int batchesInFlight(OperatorSubtaskState subtask) {
    return entries(subtask, BATCHES);
  }

  /** The writer states of each sink that has any, by uid. */
  Map<String, Writers> writers() {
    Map<String, Writers> writers = new LinkedHashMap<>();
    for (OperatorState operator : metadata.getOperatorStates()) {
      int states = 0;
      int running = 0;
      for (OperatorSubtaskState subtask : operator.getStates()) {
        int own = entries(subtask, WRITERS);
        states += own;
        running += own > 0 ? 1 : 0;
      }
      if (states > 0) {
        int parallelism = operator.getParallelism();
        writers.put(name(operator), new Writers(parallelism, states, parallelism - running));
      }
    }
    return writers;
  }

  private static int entries(OperatorSubtaskState subtask, String list) {
    int entries = 0;
    for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
      OperatorStateHandle.StateMetaInfo found = handle.getStateNameToPartitionOffsets().get(list);
      entries += found == null ? 0 : found.getOffsets().length;
    }
    return entries;
  }

  /** The entries of a list state of byte arrays of an operator. */
  public List<byte[]> entries(String operator, String list) throws IOException {
    List<byte[]> entries = new ArrayList<>();
    for (OperatorState state : metadata.getOperatorStates()) {
      if (name(state).equals(operator)) {
        for (OperatorSubtaskState subtask : state.getStates()) {
          for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
            read(handle, list, entries);
          }
        }
      }
    }
    return entries;
  }

  private static void read(OperatorStateHandle handle, String list, List<byte[]> entries)
      throws IOException {
    OperatorStateHandle.StateMetaInfo found = handle.getStateNameToPartitionOffsets().get(list);
    if (found == null) {
      return;
    }
    try (FSDataInputStream in = handle.openInputStream()) {
      for (long offset : found.getOffsets()) {
        in.seek(offset);
        entries.add(
            BytePrimitiveArraySerializer.INSTANCE.deserialize(new DataInputViewStreamWrapper(in)));
      }
    }
  }

  /** The uids of operators that have state in it. */
  public Set<String> operators() {
    Set<String> operators = new HashSet<>();
    for (OperatorState operator : metadata.getOperatorStates()) {
      if (operator.getCoordinatorState() != null
          || operator.getStates().stream().anyMatch(OperatorSubtaskState::hasState)) {
        operator.getOperatorUid().ifPresent(operators::add);
      }
    }
    return operators;
  }

  private static String name(OperatorState operator) {
    return operator.getOperatorUid().orElse(operator.getOperatorID().toString());
  }

  private List<StateObject> handles() {
    List<StateObject> all = new ArrayList<>();
    for (OperatorState operator : metadata.getOperatorStates()) {
      for (OperatorSubtaskState subtask : operator.getStates()) {
        addAll(subtask.getManagedOperatorState(), all);
        addAll(subtask.getRawOperatorState(), all);
        addAll(subtask.getManagedKeyedState(), all);
        addAll(subtask.getRawKeyedState(), all);
        addAll(subtask.getInputChannelState(), all);
        addAll(subtask.getResultSubpartitionState(), all);
      }
    }
    return all;
  }

  private static void addAll(Collection<? extends StateObject> handles, List<StateObject> all) {
    handles.forEach(handle -> add(handle, all));
  }

  /** Collects the files, and byte arrays in the metadata, that a handle consists of. */
  private static void add(StateObject handle, List<StateObject> all) {
    if (handle instanceof SegmentFileStateHandle
        || handle instanceof FileStateHandle
        || handle instanceof ByteStreamStateHandle) {
      all.add(handle);
    } else if (handle instanceof OperatorStateHandle operator) {
      add(operator.getDelegateStateHandle(), all);
    } else if (handle instanceof KeyGroupsStateHandle keyed) {
      add(keyed.getDelegateStateHandle(), all);
    } else if (handle instanceof IncrementalRemoteKeyedStateHandle incremental) {
      add(incremental.getMetaDataStateHandle(), all);
      incremental.getSharedState().forEach(file -> add(file, all));
      incremental.getPrivateState().forEach(file -> add(file, all));
    } else if (handle instanceof ChangelogStateBackendHandle changelog) {
      addAll(changelog.getMaterializedStateHandles(), all);
    } else if (handle instanceof AbstractChannelStateHandle<?> channel) {
      StreamStateHandle file = channel.getDelegate();
      add(file, all);
    }
  }

  private static void add(HandleAndLocalPath file, List<StateObject> all) {
    add(file.getHandle(), all);
  }
}
