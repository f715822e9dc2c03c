// Pieces that the completion scripts of several shells share.
#pragma once

#include <string>
#include <vector>

#include "cli/completion/completion_table.h"

namespace warptime::cli {

/// The names with blanks between them, in lines of at most 120 characters. Names have no character that a shell
/// expands.
std::string name_lines(const std::vector<std::string>& names);
/// The word of the scripts for what is expected, and its own words: "setting-list", "words on off".
std::string kind_text(const Expected& expected);
/// In single quotes; a quote in the text is escaped as bash and zsh require it.
std::string shell_quoted(std::string_view text);
/// A line for each list of names by its key: "targets", "machines", "processors", "statistics", "settings", "= SETTING"
/// (its legal words), "parameter WORKLOAD" and "output WORKLOAD".
std::string name_arms(std::string (*arm)(const std::string& key, const std::vector<std::string>& names));
/// `text` with `{NAME}` replaced; each NAME occurs.
std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace warptime::cli
