package io.latimer.operators.grammar.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A context-free grammar whose rules have one of three forms: A &rarr; B C (binary), A &rarr; B
 * (unary) and A &rarr; terminal (lexical); and whether it derives the empty sentence. Variables and
 * terminals have ids from 0, in the order in which they were declared or first used; rules have
 * numbers from 0 for each form, in the order in which they were added. Unary rules are kept as
 * added, not closed. Immutable.
 */
public final class BinaryGrammar {
  /** Maximum variables of a grammar: ids are below it and fit into 16 bits. */
  public static final int MAX_VARIABLES = 65_535;

  /** Maximum rules of each form; keeps every section of an index below 2 GB. */
  static final int MAX_RULES = (1 << 28) - 1;

  private final List<String> variables;
  private final List<String> terminals;
  private final int start;
  private final boolean derivesEmpty;
  private final boolean weighted;
  private final Rules binary;
  private final Rules unary;
  private final Rules lexical;

  private BinaryGrammar(Builder builder, int start) {
    this.variables = List.copyOf(builder.variables);
    this.terminals = List.copyOf(builder.terminals);
    this.start = start;
    this.derivesEmpty = builder.derivesEmpty;
    this.weighted = builder.weighted;
    this.binary = builder.binary.trimmed();
    this.unary = builder.unary.trimmed();
    this.lexical = builder.lexical.trimmed();
  }

  /** The names of the variables by their ids; 1 to {@value #MAX_VARIABLES}. */
  public List<String> variables() {
    return variables;
  }

  /** The id of the start variable. */
  public int start() {
    return start;
  }

  /** The terminals by their ids; none is empty. */
  public List<String> terminals() {
    return terminals;
  }

  /** Whether the empty sentence is in the language. */
  public boolean derivesEmpty() {
    return derivesEmpty;
  }

  /** Whether the rules have probabilities. */
  public boolean weighted() {
    return weighted;
  }

  /** The number of rules A &rarr; B C. */
  public int binaryRules() {
    return binary.size;
  }

  /** A of the binary rule A &rarr; B C. */
  public int parent(int rule) {
    return binary.symbol(rule, 0);
  }

  /** B of the binary rule A &rarr; B C. */
  public int left(int rule) {
    return binary.symbol(rule, 1);
  }

  /** C of the binary rule A &rarr; B C. */
  public int right(int rule) {
    return binary.symbol(rule, 2);
  }

  /** The natural logarithm of a binary rule's probability; 0 unless {@link #weighted}. */
  public float binaryWeight(int rule) {
    return binary.weight(rule);
  }

  /** The number of rules A &rarr; B. */
  public int unaryRules() {
    return unary.size;
  }

  /** A of the unary rule A &rarr; B. */
  public int unaryParent(int rule) {
    return unary.symbol(rule, 0);
  }

  /** B of the unary rule A &rarr; B. */
  public int unaryChild(int rule) {
    return unary.symbol(rule, 1);
  }

  /** The natural logarithm of a unary rule's probability; 0 unless {@link #weighted}. */
  public float unaryWeight(int rule) {
    return unary.weight(rule);
  }

  /** The number of rules A &rarr; terminal. */
  public int lexicalRules() {
    return lexical.size;
  }

  /** A of the lexical rule A &rarr; terminal. */
  public int lexicalParent(int rule) {
    return lexical.symbol(rule, 0);
  }

  /** The id of the terminal of a lexical rule. */
  public int terminal(int rule) {
    return lexical.symbol(rule, 1);
  }

  /** The natural logarithm of a lexical rule's probability; 0 unless {@link #weighted}. */
  public float lexicalWeight(int rule) {
    return lexical.weight(rule);
  }

  /** Rules of one form: their symbols, and their weights if there are any. */
  private static final class Rules {
    private final int symbols;
    private int size;
    private int[] ids = new int[48];
    private float[] weights = new float[0]; // shorter than the rules if the last have weight 0

    Rules(int symbols) {
      this.symbols = symbols;
    }

    int symbol(int rule, int place) {
      if (rule < 0 || rule >= size) {
        throw new IndexOutOfBoundsException("there is no rule " + rule + ", only " + size);
      }
      return ids[symbols * rule + place];
    }

    float weight(int rule) {
      symbol(rule, 0);
      return rule < weights.length ? weights[rule] : 0;
    }

    void add(float weight, int... rule) {
      if (size == MAX_RULES) {
        throw new GrammarFormatException(
            "the grammar has more than " + size + " rules of " + symbols + " symbols");
      }
      if (symbols * (size + 1) > ids.length) {
        long wanted = Math.min(2L * ids.length, (long) symbols * MAX_RULES);
        ids = Arrays.copyOf(ids, (int) wanted);
      }
      System.arraycopy(rule, 0, ids, symbols * size, symbols);
      if (weight != 0) {
        if (size >= weights.length) {
          weights = Arrays.copyOf(weights, ids.length / symbols);
        }
        weights[size] = weight;
      }
      size++;
    }

    Rules trimmed() {
      Rules rules = new Rules(symbols);
      rules.size = size;
      rules.ids = Arrays.copyOf(ids, symbols * size);
      rules.weights = Arrays.copyOf(weights, Math.min(weights.length, size));
      return rules;
    }
  }

  /**
   * Collects variables and rules. Does not know the files: their reader checks {@link #find} and
   * the number of variables first, and says where they are wrong. Not thread-safe.
   */
  public static final class Builder {
    private final List<String> variables = new ArrayList<>();
    private final List<String> terminals = new ArrayList<>();
    private final Map<String, Integer> variableIds = new HashMap<>();
    private final Map<String, Integer> terminalIds = new HashMap<>();
    private final Rules binary = new Rules(3);
    private final Rules unary = new Rules(2);
    private final Rules lexical = new Rules(2);
    private boolean derivesEmpty;
    private boolean weighted;

    /**
     * Declares a variable.
     *
     * @return its id
     * @throws GrammarFormatException if it is already declared, or there are {@value
     *     #MAX_VARIABLES}
     */
    public int variable(String name) {
      if (name.isEmpty()) {
        throw new GrammarFormatException("a variable has an empty name; give it one");
      }
      if (variableIds.containsKey(name)) {
        throw new GrammarFormatException(
            "the variable " + name + " is declared twice; remove one of the declarations");
      }
      if (variables.size() == MAX_VARIABLES) {
        throw new GrammarFormatException(
            "the variable "
                + name
                + " is one too many: a grammar has at most "
                + MAX_VARIABLES
                + " variables");
      }
      int id = variables.size();
      variableIds.put(name, id);
      variables.add(name);
      return id;
    }

    /** The number of variables. */
    public int variables() {
      return variables.size();
    }

    /** The id of a variable, or -1 if it is not declared. */
    public int find(String name) {
      return variableIds.getOrDefault(name, -1);
    }

    /**
     * Adds the rule parent &rarr; left right.
     *
     * @param weight the natural logarithm of its probability, at most 0; 0 if the grammar has none
     */
    public Builder binary(int parent, int left, int right, float weight) {
      requireVariable(parent);
      requireVariable(left);
      requireVariable(right);
      requireWeight(weight);
      binary.add(weight, parent, left, right);
      return this;
    }

    /** Adds the rule parent &rarr; child; see {@link #binary}. */
    public Builder unary(int parent, int child, float weight) {
      requireVariable(parent);
      requireVariable(child);
      requireWeight(weight);
      unary.add(weight, parent, child);
      return this;
    }

    /**
     * Adds the rule parent &rarr; terminal; see {@link #binary}.
     *
     * @param terminal a word without blanks, not empty
     */
    public Builder lexical(int parent, String terminal, float weight) {
      requireVariable(parent);
      requireWeight(weight);
      if (terminal.isEmpty()) {
        throw new GrammarFormatException("a terminal is empty; use the empty sentence instead");
      }
      Integer id = terminalIds.putIfAbsent(terminal, terminals.size());
      if (id == null) {
        id = terminals.size();
        terminals.add(terminal);
      }
      lexical.add(weight, parent, id);
      return this;
    }

    /** Says that the empty sentence is in the language. */
    public Builder derivesEmpty() {
      derivesEmpty = true;
      return this;
    }

    /** Says that the rules have probabilities. */
    public Builder weighted() {
      weighted = true;
      return this;
    }

    /**
     * Makes the grammar.
     *
     * @param start the id of the start variable
     */
    public BinaryGrammar build(int start) {
      requireVariable(start);
      return new BinaryGrammar(this, start);
    }

    private void requireVariable(int id) {
      if (id < 0 || id >= variables.size()) {
        throw new IllegalArgumentException(
            "there is no variable " + id + ", only " + variables.size());
      }
    }

    private static void requireWeight(float weight) {
      if (!(weight <= 0) || weight == Float.NEGATIVE_INFINITY) {
        throw new IllegalArgumentException(
            "the logarithm of a probability must be finite and at most 0, found " + weight);
      }
    }
  }
}
