package io.latimer.e2e;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The texts and numbers of a class file, and the members that it uses. Relocation writes a class
 * anew, so that its bytes are others, but renames only what was moved.
 */
final class ClassConstants {
  private static final int MAGIC = 0xcafebabe;

  private final Map<Integer, String> texts = new HashMap<>();

  /** The places of the names of classes, by those of the classes. */
  private final Map<Integer, Integer> classes = new HashMap<>();

  /** The places of a class, and of a name with its type, of each member. */
  private final List<int[]> members = new ArrayList<>();

  private final Map<Integer, int[]> namesAndTypes = new HashMap<>();
  private final Set<String> numbers = new TreeSet<>();

  private ClassConstants() {}

  /**
   * Reads the constant pool of a class.
   *
   * @param relocated the folder to which packages were moved, with a slash at its end; names in it
   *     are given as they were
   */
  static Set<String> of(byte[] bytes, String relocated) throws IOException {
    ClassConstants pool = new ClassConstants();
    pool.read(new DataInputStream(new ByteArrayInputStream(bytes)), relocated);
    return pool.used();
  }

  private void read(DataInputStream in, String relocated) throws IOException {
    if (in.readInt() != MAGIC) {
      throw new IOException("not a class file");
    }
    in.skipNBytes(4); // its version
    int count = in.readUnsignedShort();
    for (int i = 1; i < count; i++) {
      int tag = in.readUnsignedByte();
      switch (tag) {
        case 1 ->
            texts.put(
                i, in.readUTF().replace(relocated, "").replace(relocated.replace('/', '.'), ""));
        case 3 -> numbers.add("int " + in.readInt());
        case 4 -> numbers.add("float " + in.readFloat());
        case 5 -> {
          numbers.add("long " + in.readLong());
          i++; // it takes two places
        }
        case 6 -> {
          numbers.add("double " + in.readDouble());
          i++;
        }
        case 7 -> classes.put(i, in.readUnsignedShort());
        case 9, 10, 11 -> members.add(new int[] {in.readUnsignedShort(), in.readUnsignedShort()});
        case 12 -> namesAndTypes.put(i, new int[] {in.readUnsignedShort(), in.readUnsignedShort()});
        case 8, 16, 19, 20 -> in.skipNBytes(2);
        case 15 -> in.skipNBytes(3);
        case 17, 18 -> in.skipNBytes(4);
        default -> throw new IOException("unknown constant " + tag);
      }
    }
  }

  /** Without classes and attributes of which only the name is left: compilers leave some behind. */
  private Set<String> used() {
    Set<String> used = new TreeSet<>(numbers);
    Map<Integer, String> others = new HashMap<>(texts);
    others.keySet().removeAll(classes.values());
    used.addAll(others.values());
    used.remove("LocalVariableTable");
    for (int[] member : members) {
      int[] name = namesAndTypes.get(member[1]);
      used.add(
          texts.get(classes.get(member[0])) + "." + texts.get(name[0]) + " " + texts.get(name[1]));
    }
    return used;
  }
}
