/** {@code model}: creates translation models. */
package io.latimer.cli.model;
