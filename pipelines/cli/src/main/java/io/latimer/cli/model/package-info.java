/** {@code model}: makes translation models. */
package io.latimer.cli.model;
