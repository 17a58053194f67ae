// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fatvec/app/cli/common/values.hpp>

#include "subcommand.hpp"

/// Shell completion from the same description of the options as the help.
namespace fatvec::cli {
namespace {

using Commands = std::vector<const CLI::App*>;

Commands commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// "--k", "-k" and the like; none of a positional, nor of an option that no help shows.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  if (option.get_group().empty()) return names;
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

/// The values of an option that takes one of several names, by spaces; of others nothing.
std::string values_of(const CLI::Option& option) {
  std::string values = option.get_type_name();
  if (values.find('|') == std::string::npos || values.starts_with("FILE")) return "";
  std::replace(values.begin(), values.end(), '|', ' ');
  return values;
}

std::string bash(const CLI::App& app) {
  std::string names;
  std::string values;
  std::string options;
  for (const auto* command : commands_of(app)) {
    names += command->get_name() + " ";
    std::string own;
    for (const auto* option : command->get_options()) {
      for (const auto& name : names_of(*option)) {
        own += name + " ";
        if (const auto known = values_of(*option); !known.empty())
          values += fmt::format("    '{} {}') words='{}' ;;\n", command->get_name(), name, known);
      }
    }
    options += fmt::format("      {}) words='{}' ;;\n", command->get_name(), own);
  }
  return fmt::format(
      R"(# bash completion of fatvec: source <(fatvec completion bash)
_fatvec() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  case "${{COMP_WORDS[1]}} $before" in
{}  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{}--help --version'
  elif [ -z "$words" ] && [ "${{word:0:1}}" = - ]; then
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  COMPREPLY=()
  if [ -n "$words" ]; then
    while IFS= read -r word_; do COMPREPLY+=("$word_"); done < <(compgen -W "$words" -- "$word")
  else
    while IFS= read -r word_; do COMPREPLY+=("$word_"); done < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _fatvec fatvec
)",
      values, names, options);
}

/// Without what _arguments takes for its own syntax.
std::string plain(std::string text) {
  std::erase_if(text, [](char c) { return c == '\'' || c == '[' || c == ']' || c == '`'; });
  std::replace(text.begin(), text.end(), ':', ',');
  return text;
}

std::string zsh(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const auto* command : commands_of(app)) {
    commands +=
        fmt::format("    '{}:{}'\n", command->get_name(), plain(command->get_description()));
    cases += fmt::format("    {}) _arguments", command->get_name());
    for (const auto* option : command->get_options()) {
      const std::string values = values_of(*option);
      const bool flag = option->get_items_expected_max() == 0;
      for (const auto& name : names_of(*option))
        cases += fmt::format(" \\\n      '{}[{}]{}'", name, plain(option->get_description()),
                             flag             ? ""
                             : values.empty() ? ":value:_files"
                                              : fmt::format(":value:({})", values));
    }
    cases += " \\\n      '*:file:_files' ;;\n";
  }
  return fmt::format(
      R"(#compdef fatvec
# zsh completion of fatvec: fatvec completion zsh > _fatvec, in a folder of $fpath
_fatvec() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{}  esac
}}
_fatvec "$@"
)",
      commands, cases);
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  auto* const command =
      app.add_subcommand("completion", "A script that completes fatvec's options in a shell");
  const auto shell = std::make_shared<std::string>();
  one_of(command->add_option("SHELL", *shell, "Which shell"), {"bash", "zsh"})->required();
  command->callback([&app, &action, shell] {
    action = [&app, shell] {
      fmt::print("{}", *shell == "bash" ? bash(app) : zsh(app));
      return success;
    };
  });
}

}  // namespace fatvec::cli
