bash link.sh "$1" left --gpulto-memory=1K & left=$!
bash link.sh "$1" right --gpulto-memory=1K && wait $left
