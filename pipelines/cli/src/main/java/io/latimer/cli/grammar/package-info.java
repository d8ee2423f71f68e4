/** {@code grammar}: compiles grammars and checks sentences with them. */
package io.latimer.cli.grammar;
